package state

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// folded returns a fold of writes, one after the other from a stamp on.
func folded(from log.Stamp, texts ...string) Fold {
	f := Fold{}
	for i, text := range texts {
		key, content, _ := strings.Cut(text, "=")
		e := log.Envelope{Key: keypath.MustParse(key), TS: from + log.Stamp(i),
			Source: []byte(`"test"`), Content: []byte(content)}
		f[e.Key] = log.Record{Envelope: e, Line: e.Line(), Canonical: true}
	}
	return f
}

// filed returns a view of a state on the disk that has a fold, whose first line is damaged
// afterwards.
func filed(t *testing.T, fold Fold) *View {
	t.Helper()
	at := t.TempDir()
	dir, err := disk.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	draft, err := Write(dir, NewView(nil, fold, nil), DraftOptions{})
	if err == nil {
		err = draft.Install(log.MinStamp)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	name := filepath.Join(at, FileName)
	text, err := os.ReadFile(name)
	if err == nil {
		text = bytes.Replace(text, []byte("content"), []byte("CONTENT"), 1)
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return NewView(file, Fold{}, func() (Fold, error) { return fold, nil })
}

// What a view was given besides stays in it where the whole history takes the place of the state.
func TestWithStaysWhereTheStateIsDamaged(t *testing.T) {
	v := filed(t, folded(log.MinStamp, "/a=1", "/b=1", "/d=1"))
	defer v.Close()
	with := v.With(folded(log.MinStamp+9, "/c=2", "/d=null"))
	defer with.Close()
	list, err := with.Select(context.Background(), backend.Where{}, backend.NewestFirst, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, rec := range list {
		got += rec.Key.String() + "=" + string(rec.Content) + " "
	}
	if want := "/c=2 /b=1 /a=1 "; got != want {
		t.Errorf("%s instead of %s", got, want)
	}
	if with.HasState() {
		t.Error("the damaged state was read")
	}
}

func TestBelowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	gone := errors.New("gone")
	n := 0
	var last error
	v := NewView(nil, folded(log.MinStamp, "/a=1", "/b=1"), nil)
	for _, err := range v.ScanBelow(ctx, keypath.Prefix{}) {
		n, last = n+1, err
		cancel(gone)
	}
	if n != 2 || !errors.Is(last, gone) {
		t.Errorf("%d steps, the last with %v", n, last)
	}
}
