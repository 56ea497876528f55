package mem_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/audit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
)

// wallet is a made-up list of the words of a wallet, twelve, or more from the same beginning.
const wallet = "window cereal practice feed shaft open despair creek road again ice zebra " +
	"lemon orbit tuna violin wagon acid bridge canyon dune echo fabric giant"

// Texts with the words of a wallet at their start, in the middle, at the end, and in lines.
func walletTexts() (texts []string) {
	words := strings.Fields(wallet)
	for _, n := range []int{12, 15, 18, 21, 24} {
		these := strings.Join(words[:n], " ")
		texts = append(texts, these, "Keep it: "+these, these+", which is for Ada.",
			"It is\n"+strings.Join(words[:n], "\n")+"\nand no more.")
	}
	return texts
}

// Every way to write refuses the words of a wallet without repeating them, an event is stored
// without them, and an audit finds those that were let in.
func TestNoWriteStoresAWallet(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	f.Put("/a", `1`)
	before := f.Logged()
	refused := func(err error, text string) {
		t.Helper()
		if !errors.Is(err, policy.ErrSecret) || strings.Contains(err.Error(), "cereal") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range walletTexts() {
		quoted, err := json.Marshal(text)
		f.Must(err)
		for _, w := range []mem.Write{
			write("/project/a", `{"type":"fact","text":`+string(quoted)+`,"tags":["art","music"]}`),
			write("/project/a", `[1,`+string(quoted)+`]`), from(`{"kind":"user","name":` + string(quoted) + `}`)} {
			_, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{})
			refused(err, text)
		}
		_, err = note.Add(ctx, f.Store, mem.Caller{}, text, note.Options{})
		refused(err, text)
	}
	if f.Logged() != before {
		t.Error("something was appended")
	}
	book := ledger.New(f.Store, mem.Caller{}, ledger.Options{})
	for _, text := range walletTexts() {
		content, err := json.Marshal(map[string]string{"type": "message", "text": text})
		f.Must(err)
		list, err := book.Record(ctx, ledger.Event{Session: "s1", Kind: "message", Content: content,
			Actor: ledger.Actor{Type: "human", ID: "user"}})
		f.Must(err)
		key, err := book.KeyOf(ctx, list[0].Event)
		f.Must(err)
		rec, err := f.Get(ctx, mem.Caller{}, key, true)
		f.Must(err)
		if !strings.Contains(string(rec.Content), `"text":"`) ||
			!strings.Contains(string(rec.Content), "[redacted: credential-marker]") {
			t.Errorf("%s", rec.Content)
		}
	}
	hidden(f.Root, t)
	w := write("/project/a", `{"type":"fact","text":"`+wallet+`","tags":["art","music"]}`)
	_, err := f.Set(ctx, mem.Caller{}, w,
		mem.SetOptions{AllowSecrets: []string{"credential-marker"}})
	f.Must(err)
	rep, err := audit.Secrets(ctx, f.Store, mem.Caller{}, audit.SecretOptions{})
	f.Must(err)
	if len(rep.Found) != 1 || rep.Found[0].Place != "content.text" ||
		rep.Found[0].To-rep.Found[0].From+1 != len(wallet) {
		t.Errorf("audit: %+v", rep.Found)
	}
}

// hidden checks that no file below the root has two words of the wallet in a row.
func hidden(root string, t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "cereal") || strings.Contains(path, "cereal") {
			t.Errorf("%s has words of the wallet", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
