package mem_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// late is a backend of which some updates end with an error: before they begin, or when they are
// stored.
type late struct {
	*memstore.Store
	before func(n int) error
	after  error
	n      int
}

func (b *late) Update(ctx context.Context, c backend.Caller, op string,
	fn func(backend.Tx) error) error {
	b.n++
	if b.before != nil {
		if err := b.before(b.n); err != nil {
			return err
		}
	}
	if err := b.Store.Update(ctx, c, op, fn); err != nil {
		return err
	}
	return b.after
}

// lateStore returns a store over a backend that is late, and its warnings.
func lateStore(b *late) (*mem.Store, *[]string, *int) {
	warnings, told := new([]string), new(int)
	b.Store = memstore.New(func() time.Time { return noon })
	return mem.New(b, mem.Options{Now: func() time.Time { return noon },
		Warn:     func(msg string) { *warnings = append(*warnings, msg) },
		OnStored: func(list []log.Envelope) { *told += len(list) }}), warnings, told
}

// What is in the log is stored, whatever could not follow: the answer, the journal and others have
// it, with the error.
func TestStoredAllTheSame(t *testing.T) {
	failed := fmt.Errorf("an index: %w", backend.ErrStored)
	s, _, told := lateStore(&late{after: failed})
	out, err := s.Set(ctx, mem.Caller{}, write("/a", "1"), mem.SetOptions{})
	if !errors.Is(err, backend.ErrStored) || out.Key != keyOf("/a") || out.TS == 0 || *told != 1 {
		t.Errorf("%+v, %v, %d told", out, err, *told)
	}
	op := begun(t, s, mem.Caller{}, policy.Set)
	p, q := checked(t, op, write("/b", "1")), checked(t, op, write("/c", "1"))
	list, err := op.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p, q) })
	if !errors.Is(err, backend.ErrStored) || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	rep, err := op.PutAll(ctx, []mem.Checked{p, q})
	if !errors.Is(err, backend.ErrStored) || rep.Written != 2 {
		t.Errorf("%+v, %v", rep, err)
	}
	deleted, _, err := s.Delete(ctx, mem.Caller{}, []keypath.Key{keyOf("/a")}, nil)
	if !errors.Is(err, backend.ErrStored) || len(deleted) != 1 {
		t.Errorf("%+v, %v", deleted, err)
	}
	other := begun(t, mem.NewMemory(), mem.Caller{}, policy.Move)
	mine := begun(t, s, mem.Caller{}, policy.Move)
	for _, ops := range [][2]*mem.Operation{{mine, other}, {other, mine}} {
		all, err := ops[0].UpdateWith(ctx, []*mem.Operation{ops[1]}, func(txs ...*mem.Tx) error {
			return errors.Join(txs[0].Put(checked(t, ops[0], write("/m", "1"))),
				txs[1].Put(checked(t, ops[1], write("/n", "1"))))
		})
		if !errors.Is(err, backend.ErrStored) || len(all) != 2 {
			t.Errorf("%+v, %v", all, err)
		}
	}
	ran, err := s.Journaled()
	if err != nil || len(ran) < 3 || ran[0].TS == "" || ran[0].Code != mem.KindIO {
		t.Errorf("%+v, %v", ran, err)
	}
}

// Once a part of a batch is stored the rest waits for the lock, and says so once; before that the
// limit of the lock holds, and a caller that goes away ends it.
func TestBatchesWait(t *testing.T) {
	big := `"` + strings.Repeat("x", 900_000) + `"`
	for _, c := range []struct {
		name    string
		locked  []int // updates that find the lock taken
		cancels bool
		other   error
		written int
		warned  int
		want    error
	}{
		{"free", nil, false, nil, 6, 0, nil},
		{"first", []int{1}, false, nil, 0, 0, log.ErrLocked},
		{"second", []int{2, 3}, false, nil, 6, 1, nil},
		{"canceled", []int{2, 3, 4}, true, nil, 4, 1, errFault},
		{"another fault", []int{2}, false, errFault, 4, 0, errFault},
	} {
		canceled, cancel := context.WithCancelCause(ctx)
		s, warnings, _ := lateStore(&late{before: func(n int) error {
			if !slices.Contains(c.locked, n) {
				return nil
			}
			if c.cancels {
				cancel(errFault)
			}
			if c.other != nil {
				return c.other
			}
			return fmt.Errorf("%w by a test", log.ErrLocked)
		}})
		op := begun(t, s, mem.Caller{}, policy.Set)
		var list []mem.Checked
		for i := range 6 {
			list = append(list, checked(t, op, write(fmt.Sprintf("/k/%d", i), big)))
		}
		rep, err := op.PutAll(canceled, list)
		var part *mem.PartialError
		if !errors.Is(err, c.want) || c.want == nil && err != nil || rep.Written != c.written ||
			len(*warnings) != c.warned || errors.As(err, &part) != (c.written == 4) {
			t.Errorf("%s: %+v, %v, %q", c.name, rep, err, *warnings)
		}
		if c.warned == 1 &&
			(*warnings)[0] != "4 of 6 stored, the rest is not: the store is locked "+
				"by a test" {
			t.Errorf("%s: %q", c.name, *warnings)
		}
		cancel(nil)
	}
}

// failingEraser is a backend whose erasures fail in the middle.
type failingEraser struct {
	*memstore.Store
	err error
}

func (b failingEraser) Erase(context.Context, backend.Caller, backend.Erasure) (
	backend.Proof, error) {
	return backend.Proof{Versions: 1, Remains: []string{"a", "b", "c", "d"}}, b.err
}

// What a purge could not prove it names, but for another error that came before.
func TestPurgesThatFail(t *testing.T) {
	for _, failed := range []error{errFault, nil, backend.ErrReason} {
		s := mem.New(failingEraser{memstore.New(time.Now), failed}, mem.Options{})
		_, err := s.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{keyOf("/a")}})
		switch {
		case failed == nil && (!errors.Is(err, mem.ErrRemains) ||
			!strings.HasSuffix(err.Error(), " in a, b, c and 1 more")),
			failed != nil && (!errors.Is(err, failed) || errors.Is(err, mem.ErrRemains)),
			errors.Is(err, backend.ErrReason) != errors.Is(err, mem.ErrInput):
			t.Errorf("%v: %v", failed, err)
		}
	}
}

// A key whose line is damaged is not found, and the warning says which line that is.
func TestDamagedLines(t *testing.T) {
	f := newFiles(t)
	f.Put("/b", "1")
	f.Put("/a", `"good"`)
	f.Dirty = true
	if f.Content("/a") != `"good"` || len(f.Warnings) > 0 {
		t.Errorf("%q", f.Warnings)
	}
	text, err := os.ReadFile(f.File(log.File))
	f.Must(err)
	f.Must(f.Close())
	f.Must(os.WriteFile(f.File(log.File), []byte(strings.Replace(string(text), "good", "evil", 1)),
		0o600))
	f.Must(os.RemoveAll(f.File("index")))
	f.Open()
	_, err = f.Get(ctx, mem.Caller{}, keyOf("/a"), false)
	if !errors.Is(err, mem.ErrNotFound) || len(f.Warnings) == 0 {
		t.Errorf("%v, %q", err, f.Warnings)
	}
	f.Warnings = nil
	f.Must(f.Everything(ctx, func(log.Record) error { return nil }))
	if len(f.Warnings) == 0 {
		t.Error("the history says nothing of it")
	}
	if st, err := f.Stat(ctx, mem.Caller{}); err != nil || st.Damaged != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

// An operation that another process began counts what that has stored as its own.
func TestStoredBefore(t *testing.T) {
	f := newStore(t)
	for _, key := range []string{"/a", "/b", "/c"} {
		f.Put(key, "1")
	}
	get := func(key string) log.Record {
		rec, err := f.Get(ctx, mem.Caller{}, keyOf(key), false)
		f.Must(err)
		return rec
	}
	op := begun(t, f.Store, mem.Caller{Command: backend.NewCommand()}, policy.Undo)
	op.TakeOver(get("/a"), get("/c"))
	op.Done(3, nil)
	ran, err := f.Journaled()
	f.Must(err)
	last := ran[len(ran)-1]
	keys, err := storedKeys(f.Store, last)
	if err != nil || strings.Join(keys, " ") != "/a /b /c" || last.Key != "/c" || last.Count != 3 ||
		last.Command == "" {
		t.Errorf("%+v, %q, %v", last, keys, err)
	}
}

// The first line of a store that compacts by itself, and of one that does not.
func TestCompactionIsDue(t *testing.T) {
	for _, c := range []struct {
		config string
		due    bool
	}{{`{"rotate":{"lines":2}}`, true}, {`{"rotate":{"lines":2},"auto_compact":false}`, false}} {
		f, due := newFiles(t), 0
		f.Configure(c.config)
		s, err := mem.Open(f.Root, mem.Options{OnCompactionDue: func() { due++ }})
		f.Must(err)
		var lines strings.Builder
		for i := range 1500 {
			fmt.Fprintf(&lines, `{"key":"/k/%d","content":1,"source":"s"}`+"\n", i)
		}
		_, err = s.SetAll(ctx, mem.Caller{}, strings.NewReader(lines.String()), mem.BatchOptions{})
		f.Must(err)
		f.Must(s.Close())
		if (due > 0) != c.due {
			t.Errorf("%s: %d times", c.config, due)
		}
	}
}

// A root that cannot be is refused.
func TestNoRoot(t *testing.T) {
	if s, err := mem.Open("a\x00b", mem.Options{}); err == nil {
		t.Errorf("%v", s)
	}
}

// A root that is made has its README, and says which repository it is for.
func TestMadeRoots(t *testing.T) {
	for _, repository := range []string{"", "/some/app/.git"} {
		root := filepath.Join(storetest.Dir(t), "m")
		s, err := mem.Open(root, mem.Options{Repository: repository})
		if err != nil {
			t.Fatal(err)
		}
		made, err := s.Create()
		if !made || err != nil {
			t.Errorf("%v, %v", made, err)
		}
		if made, err = s.Create(); made || err != nil {
			t.Errorf("again: %v, %v", made, err)
		}
		readme, err := os.ReadFile(filepath.Join(root, "README.md"))
		of, failed := os.ReadFile(filepath.Join(root, site.RepositoryFile))
		if err != nil || !strings.Contains(string(readme), "mem") ||
			(failed == nil) != (repository != "") ||
			repository != "" && string(of) != string(site.RepositoryText(repository)) {
			t.Errorf("%q: %v, %s, %v", repository, err, of, failed)
		}
		s.Close()
	}
}
