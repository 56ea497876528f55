package transfer_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
)

// An export that fails or is cut off at any call of the disk leaves whole files, and links that
// lead somewhere; the next one brings the folder to where it should be.
func TestExportIsNeverHalfWritten(t *testing.T) { onEach(t, testExportIsNeverHalfWritten) }

func testExportIsNeverHalfWritten(t *testing.T, f *fixture) {
	f.Put("/one", `{"text":"1"}`)
	f.Put("/two", `{"text":"2"}`)
	folder := filepath.Join(storetest.Dir(t), "out")
	export := func() error {
		_, err := f.export(nil, transfer.ExportOptions{Format: foreign.ClaudeMemory, Out: folder})
		return err
	}
	f.Must(export())
	old := files(f, folder)
	f.Put("/two", `{"text":"changed"}`)
	f.Put("/three", `{"text":"3"}`)
	_, _, err := f.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse("/one")}, nil)
	f.Must(err)
	f.Must(export())
	want := files(f, folder)
	cuts := 0
	for n := 1; ; n++ {
		f.Must(os.RemoveAll(folder))
		f.Must(os.Mkdir(folder, 0o700))
		for name, text := range old {
			f.Must(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
		if !f.cut(n, export) {
			break
		}
		cuts++
		f.whole(folder)
		f.Must(export())
		if got := files(f, folder); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("cut at call %d, the next export returns %v, want %v", n, got, want)
		}
	}
	if cuts < 20 {
		t.Errorf("only %d calls of the disk", cuts)
	}
}

// cut runs do with every call of the disk from the n-th on failing, as after a kill; it reports
// whether there were so many.
func (f *fixture) cut(n int, do func() error) bool {
	var calls atomic.Int64
	disk.SetHook(func(disk.Op, string) error {
		if calls.Add(1) >= int64(n) {
			return errPulled
		}
		return nil
	})
	defer disk.SetHook(nil)
	_ = do()
	return calls.Load() >= int64(n)
}

var errPulled = errors.New("the plug was pulled")

// files returns the names and texts in a folder, strays left out.
func files(f *fixture, folder string) map[string]string {
	f.T.Helper()
	entries, err := os.ReadDir(folder)
	f.Must(err)
	found := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		f.Must(err)
		if !disk.IsTemp(e.Name()) {
			found[e.Name()] = string(text)
		}
	}
	return found
}

func (f *fixture) whole(folder string) {
	f.T.Helper()
	found := files(f, folder)
	for name, text := range found {
		_, untouched := foreign.OwnTopic([]byte(text))
		if name == foreign.IndexFile {
			untouched = foreign.OwnPage([]byte(text))
			for _, link := range strings.Split(text, "](")[1:] {
				to, _, _ := strings.Cut(link, ")")
				if found[to] == "" {
					f.T.Errorf("MEMORY.md links to %s, which is not there", to)
				}
			}
		}
		if !untouched {
			f.T.Errorf("%s is not whole: %q", name, text)
		}
	}
}
