package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// A store held open while its root is replaced writes into what stands at its path, and reads it.
func TestRootThatIsReplaced(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.Put("/before", "1")
	old := f.Root + ".old"
	for name, replace := range map[string]func(){
		"moved away": func() {},
		"a copy":     func() { f.Must(exec.Command("cp", "-a", old, f.Root).Run()) },
	} {
		f.Must(os.RemoveAll(old))
		f.Must(os.Rename(f.Root, old))
		replace()
		f.Put("/after", `"`+name+`"`)
		rec, err := f.Get(ctx, mem.Caller{}, keypath.MustParse("/after"), false)
		if err != nil || string(rec.Content) != `"`+name+`"` {
			t.Errorf("%s: the store held open reads %s, %v", name, rec.Content, err)
		}
		fresh, err := mem.Open(f.Root, mem.Options{})
		f.Must(err)
		rec, err = fresh.Get(ctx, mem.Caller{}, keypath.MustParse("/after"), false)
		if err != nil || string(rec.Content) != `"`+name+`"` {
			t.Errorf("%s: what was acknowledged is not at the path: %s, %v", name, rec.Content, err)
		}
		fresh.Close()
		text, err := os.ReadFile(filepath.Join(old, "log.jsonl"))
		if f.Must(err); strings.Contains(string(text), name) {
			t.Errorf("%s: the old root was written to", name)
		}
	}
}

func (f *fixture) configure(text string) {
	f.T.Helper()
	f.Must(os.MkdirAll(f.Root, 0o700))
	f.Must(os.WriteFile(filepath.Join(f.Root, mem.ConfigFile), []byte(text), 0o600))
}

func (f *fixture) note(text string) {
	f.T.Helper()
	_, err := note.Add(ctx, f.Store, mem.Caller{}, text, note.Options{})
	f.Must(err)
}

// A store held open goes by the configuration as it is now.
func TestConfigIsReadAgain(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	for _, text := range []string{"one", "two", "three"} {
		f.note(text)
	}
	f.configure(`{"memory":{"max_total":2}}`)
	f.note("four")
	if _, total, err := note.Find(ctx, f.Store, mem.Caller{}, note.Filter{}); err != nil ||
		total != 2 {
		t.Errorf("%d notes after the limit was set to 2 (%v)", total, err)
	}
	f.Must(os.Remove(filepath.Join(f.Root, mem.ConfigFile)))
	f.note("five")
	if _, total, err := note.Find(ctx, f.Store, mem.Caller{}, note.Filter{}); err != nil ||
		total != 3 {
		t.Errorf("%d notes after the limit was taken away (%v)", total, err)
	}
}

// A store held open sees what other processes write, compact and take back, in every kind of read.
func TestHeldOpenFollowsTheOthers(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	other, err := mem.Open(f.Root, mem.Options{Now: f.Now})
	f.Must(err)
	defer other.Close()
	see := func(what string, want map[string]string) {
		t.Helper()
		got := map[string]string{}
		page, err := f.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 2000})
		f.Must(err)
		for _, e := range page.Entries {
			got[e.Key] = e.Text
		}
		if len(got) != len(want) || page.Considered != len(want) {
			t.Errorf("%s: read %v of %d, want %v", what, got, page.Considered, want)
		}
		for key, text := range want {
			if got[key] != text {
				t.Errorf("%s: read %q at %s, want %q", what, got[key], key, text)
			}
			found, err := f.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: text})
			if err != nil || len(found) == 0 || found[0].Record.Key.String() != key {
				t.Errorf("%s: search for %q finds %v, %v", what, text, found, err)
			}
		}
	}
	put := func(key, content string) {
		t.Helper()
		_, err := other.Set(ctx, mem.Caller{}, write(key, content), mem.SetOptions{})
		f.Must(err)
	}
	see("nothing", map[string]string{})
	put("/a", `{"text":"apple"}`)
	put("/b", `{"text":"banana"}`)
	see("two writes", map[string]string{"/a": "apple", "/b": "banana"})
	_, err = other.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	f.Must(err)
	see("a compaction", map[string]string{"/a": "apple", "/b": "banana"})
	put("/a", `{"text":"apricot"}`)
	see("one replaced", map[string]string{"/a": "apricot", "/b": "banana"})
	put("/a", `{"text":"avocado"}`)
	put("/c", `{"text":"cherry"}`)
	see("replaced again", map[string]string{"/a": "avocado", "/b": "banana", "/c": "cherry"})
	put("/b", "null")
	see("one deleted", map[string]string{"/a": "avocado", "/c": "cherry"})
	f.configure(`{"rotate":{"lines":1,"bytes":1}}`)
	_, err = other.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	f.Must(err)
	see("a rotation", map[string]string{"/a": "avocado", "/c": "cherry"})
	put("/d", `{"text":"date palm"}`)
	see("a write after it", map[string]string{"/a": "avocado", "/c": "cherry", "/d": "date palm"})
}

// A view cannot store what no check has let pass, not even by overlooking the check's error.
func TestPutOfWhatWasNotChecked(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	op, err := f.Begin(mem.Caller{}, policy.VerbNamed("test"))
	f.Must(err)
	refused, err := op.Check(ctx, mem.Write{Key: keypath.MustParse("/a"), Content: []byte("1"),
		Source: []byte("1")}, false)
	if !errors.Is(err, mem.ErrInput) {
		t.Fatalf("a number as source: %v", err)
	}
	for what, p := range map[string]mem.Checked{"made by hand": {}, "refused": refused} {
		_, err := op.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p) })
		if !errors.Is(err, mem.ErrUnchecked) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f.Keys() != "" {
		t.Errorf("stored: %s", f.Keys())
	}
}
