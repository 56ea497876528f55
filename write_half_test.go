package mem_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

// brittle is a store of files whose append fails while it is broken.
type brittle struct {
	*filestore.Store
	broken bool
}

func (b *brittle) Update(ctx context.Context, c backend.Caller, op string,
	fn func(backend.Tx) error) error {
	return b.Store.Update(ctx, c, op, func(tx backend.Tx) error {
		if err := fn(tx); err != nil || !b.broken {
			return err
		}
		return errFault
	})
}

// pair is two stores, of which an update has reached only the one that appends first.
type pair struct {
	late, first   *storetest.Store // on the same roots, which know of no other store
	lateS, firstS *mem.Store
}

const halfNote = "cache/half"

func newPair(t *testing.T) *pair {
	p := &pair{late: newFiles(t), first: newFiles(t)}
	p.late.Put("/a", "1")
	p.first.Put("/b", "1")
	open := func(s *storetest.Store, broken bool) *mem.Store {
		now := func() time.Time { return noon }
		files, err := filestore.Open(s.Root, filestore.Options{Now: now, LockWait: time.Second})
		s.Must(err)
		t.Cleanup(func() { files.Close() })
		o := mem.Options{Now: now, LockWait: time.Second, OpenOther: p.other}
		return mem.New(&brittle{files, broken}, o)
	}
	broken := open(p.late, true)
	p.lateS, p.firstS = open(p.late, false), open(p.first, false)
	a, b := begun(t, broken, mem.Caller{}, policy.Move), begun(t, p.firstS, mem.Caller{},
		policy.Move)
	gone, err := a.Tombstone(ctx, keyOf("/a"), "user", nil)
	p.late.Must(err)
	comes := checked(t, b, write("/a", "1"))
	_, err = a.UpdateWith(ctx, []*mem.Operation{b}, func(txs ...*mem.Tx) error {
		return errors.Join(txs[0].Put(gone), txs[1].Put(comes))
	})
	if !errors.Is(err, errFault) || p.first.Content("/a") != "1" || !p.has("late") ||
		!p.has("first") {
		t.Fatal(err)
	}
	return p
}

// other opens a store by its root.
func (p *pair) other(root string) (*mem.Store, error) {
	for _, s := range []*mem.Store{p.lateS, p.firstS} {
		if _, err := os.Stat(root); err == nil && s.RealPath() == root {
			return s, nil
		}
	}
	return nil, fs.ErrNotExist
}

// has reports whether a store has a note.
func (p *pair) has(which string) bool {
	root := map[string]*storetest.Store{"late": p.late, "first": p.first}[which]
	_, err := os.Stat(root.File(halfNote))
	return err == nil
}

// An update of two stores of which one was written goes on at the next write to either, where what
// the first got is still the newest; else the other keeps its memory.
func TestTheNextWriteGoesOn(t *testing.T) {
	next := func(s *mem.Store) {
		if _, err := s.Set(ctx, mem.Caller{}, write("/next", "1"), mem.SetOptions{}); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		name string
		do   func(p *pair)
		want string // of the memory that was to be deleted
		note bool   // the late store keeps its note
	}{
		{"a write to the late store", func(p *pair) { next(p.lateS) }, "(none)", false},
		{"a write to the first store", func(p *pair) { next(p.firstS) }, "(none)", false},
		{"an exchange of the first store", func(p *pair) {
			p.firstS.Finish(ctx, mem.Caller{})
		}, "(none)", false},
		{"a write to a store that opens no other", func(p *pair) { next(p.late.Store) }, "1", true},
		{"it was taken back", func(p *pair) {
			p.first.Remove("/a")
			next(p.lateS)
		}, "1", false},
		{"it was written since", func(p *pair) {
			p.late.Put("/a", "2")
			next(p.firstS)
		}, "2", false},
		{"the first store is gone", func(p *pair) {
			p.first.Dirty = true
			p.first.Must(os.RemoveAll(p.first.Root))
			next(p.lateS)
		}, "1", false},
		{"a note that is not whole", func(p *pair) {
			p.late.Must(os.WriteFile(p.late.File(halfNote), []byte(`{"id":`), 0o600))
			next(p.lateS)
		}, "1", false},
		{"another store says what to delete", func(p *pair) {
			text, err := os.ReadFile(p.late.File(halfNote))
			p.late.Must(err)
			p.late.Must(os.WriteFile(p.first.File(halfNote), text, 0o600))
			p.late.Must(os.Remove(p.late.File(halfNote)))
			next(p.firstS)
		}, "1", false},
		{"another update's note", func(p *pair) {
			text, err := os.ReadFile(p.late.File(halfNote))
			p.late.Must(err)
			other := strings.Replace(string(text), `{"id":"`, `{"id":"x`, 1)
			p.late.Must(os.WriteFile(p.late.File(halfNote), []byte(other), 0o600))
			next(p.firstS)
		}, "1", true},
	} {
		p := newPair(t)
		c.do(p)
		if got := p.late.Content("/a"); got != c.want || p.has("late") != c.note {
			t.Errorf("%s: %s, note %v", c.name, got, p.has("late"))
		}
	}
}

// A note is gone after a purge, for it may have the text.
func TestAPurgeLeavesNoNote(t *testing.T) {
	p := newPair(t)
	_, err := p.late.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{keyOf("/a")}})
	if p.late.Must(err); p.has("late") {
		t.Error("it is there")
	}
}
