//go:build unix

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

// sidecars is what a compaction wrote to cache/, to cut it and to put it back.
type sidecars struct {
	f     *fixture
	bytes map[string][]byte // by their path
}

// cutStore returns a store of some hundred memories with sidecars, and a tail behind them.
func cutStore(t *testing.T) (*fixture, sidecars) {
	f := newStore(t)
	batch := new(bytes.Buffer)
	for i := range 400 {
		fmt.Fprintf(batch, `{"key":"/w/%d","content":{"text":"word%d alpha beta","importance":%d},`+
			`"source":"chat"}`+"\n", i, i%90, i%7)
	}
	_, err := f.SetAll(ctx, mem.Caller{}, batch, mem.BatchOptions{})
	f.Must(err)
	_, err = f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	f.Must(err)
	f.Put("/w/7", `"written since, alpha"`)
	s := sidecars{f, map[string][]byte{}}
	for _, name := range []string{"columns", "fts"} {
		path := filepath.Join(f.Root, "cache", name)
		data, err := os.ReadFile(path)
		f.Must(err)
		s.bytes[path] = data
	}
	return f, s
}

// cut cuts every sidecar in place.
func (s sidecars) cut() error {
	for path := range s.bytes {
		if err := os.Truncate(path, 0); err != nil {
			return err
		}
	}
	return nil
}

// restore writes them again, in place.
func (s sidecars) restore() error {
	for path, data := range s.bytes {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// answers are what is asked while sidecars are cut, each as text.
var answers = map[string]func(*mem.Store) (string, error){
	"search": func(s *mem.Store) (string, error) {
		found, err := s.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "alpha word7"})
		text := ""
		for _, hit := range found {
			text += fmt.Sprintf("%s %s %.9f\n", hit.Record.Key, hit.Record.Content, hit.Score)
		}
		return text, err
	},
	"read": func(s *mem.Store) (string, error) {
		page, err := s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 2000})
		return string(page.AppendJSON(nil)), err
	},
	"get": func(s *mem.Store) (string, error) {
		rec, err := s.Get(ctx, mem.Caller{}, write("/w/8", "").Key, false)
		return string(rec.Content), err
	},
	"ls": func(s *mem.Store) (string, error) {
		var keys strings.Builder
		err := s.List(ctx, mem.Caller{}, mem.Filter{},
			func(r log.Record) error { fmt.Fprintln(&keys, r.Key); return nil })
		return keys.String(), err
	},
	"stat": func(s *mem.Store) (string, error) {
		st, err := s.Stat(ctx, mem.Caller{})
		return fmt.Sprint(st.Live, st.LogLines), err
	},
}

// Before each call of the disk in turn somebody cuts the sidecars in place, as no mem does: every
// answer stays what it is, without them.
func TestSidecarsAreCutAtEveryCall(t *testing.T) {
	f, s := cutStore(t)
	defer disk.SetHook(nil)
	for name, ask := range answers {
		want, err := ask(f.Store)
		f.Must(err)
		for nth, done := 1, false; !done; nth++ {
			f.Must(s.restore())
			f.Close()
			f.Open()
			calls := 0
			disk.SetHook(func(disk.Op, string) error {
				if calls++; calls == nth {
					return s.cut()
				}
				return nil
			})
			got, err := ask(f.Store)
			disk.SetHook(nil)
			if err != nil || got != want {
				t.Errorf("%s, cut before call %d: %v\n got %.100s\nwant %.100s",
					name, nth, err, got, want)
			}
			done = calls < nth
		}
	}
	f.Must(s.restore())
}

// The same in a process that lives on: many readers of one store, while somebody cuts the sidecars
// and puts them back.
func TestSidecarsAreCutUnderManyReaders(t *testing.T) {
	f, s := cutStore(t)
	want := map[string]string{}
	for name, ask := range answers {
		text, err := ask(f.Store)
		f.Must(err)
		want[name] = text
	}
	rounds := testkit.Extent(40, 40, 2000)
	stop := make(chan struct{})
	var cutter, readers sync.WaitGroup
	cutter.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := errors.Join(s.cut(), s.restore()); err != nil {
				t.Error(err)
			}
		}
	})
	for name, ask := range answers {
		for range 2 {
			readers.Go(func() {
				for range rounds {
					if got, err := ask(f.Store); err != nil || got != want[name] {
						t.Errorf("%s: %v\n got %.100s\nwant %.100s", name, err, got, want[name])
						return
					}
				}
			})
		}
	}
	readers.Wait()
	close(stop)
	cutter.Wait()
	f.Must(s.restore())
}
