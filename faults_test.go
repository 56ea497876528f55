package mem_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

var errFault = errors.New("the disk fails")

// faulty is a backend of which one call fails, and no other.
type faulty struct {
	*memstore.Store
	faults
}

type faults struct{ left *int } // calls before the one that fails; below 0: it has failed

func (f faults) fail() error {
	if *f.left--; *f.left == -1 {
		return errFault
	}
	return nil
}

func (f faults) each(seq iter.Seq2[log.Record, error]) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range seq {
			if err == nil {
				err = f.fail()
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

func (b *faulty) Update(ctx context.Context, c backend.Caller, op string,
	fn func(backend.Tx) error) error {
	return b.Store.Update(ctx, c, op, func(tx backend.Tx) error {
		if err := fn(&faultyTx{tx, b.faults}); err != nil {
			return err
		}
		return b.fail()
	})
}

func (b *faulty) Snapshot(ctx context.Context) (backend.Snapshot, error) {
	if err := b.fail(); err != nil {
		return nil, err
	}
	v, err := b.Store.Snapshot(ctx)
	return &faultyView{v, b.faults}, err
}

func (b *faulty) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	if err := b.fail(); err != nil {
		return log.Record{}, false, err
	}
	return b.Store.Get(ctx, key)
}

func (b *faulty) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return b.each(b.Store.ScanBelow(ctx, p))
}

func (b *faulty) Match(ctx context.Context, m backend.Matcher, w backend.Where, n int) (
	[]log.Record, error) {
	if err := b.fail(); err != nil {
		return nil, err
	}
	return b.Store.Match(ctx, m, w, n)
}

func (b *faulty) History(ctx context.Context) iter.Seq2[log.Record, error] {
	return b.each(b.Store.History(ctx))
}

func (b *faulty) Versions(ctx context.Context, key keypath.Key) (backend.Versions, error) {
	if err := b.fail(); err != nil {
		return backend.Versions{}, err
	}
	return b.Store.Versions(ctx, key)
}

func (b *faulty) Numbers(ctx context.Context) (backend.Numbers, error) {
	if err := b.fail(); err != nil {
		return nil, err
	}
	return b.Store.Numbers(ctx)
}

func (b *faulty) Config(ctx context.Context, have string) ([]byte, string, error) {
	if err := b.fail(); err != nil {
		return nil, "", err
	}
	return b.Store.Config(ctx, have)
}

func (b *faulty) SetConfig(ctx context.Context, c backend.Caller,
	change func([]byte) ([]byte, error)) error {
	if err := b.fail(); err != nil {
		return err
	}
	return b.Store.SetConfig(ctx, c, change)
}

type faultyReader struct {
	backend.Reader
	faults
}

func (r faultyReader) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	if err := r.fail(); err != nil {
		return log.Record{}, false, err
	}
	return r.Reader.Get(ctx, key)
}

func (r faultyReader) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[
	log.Record, error] {
	return r.each(r.Reader.ScanBelow(ctx, p))
}

func (r faultyReader) Size(ctx context.Context, p keypath.Prefix) (int64, int64, error) {
	if err := r.fail(); err != nil {
		return 0, 0, err
	}
	return r.Reader.Size(ctx, p)
}

func (r faultyReader) Select(ctx context.Context, w backend.Where, o backend.Order, n int) (
	[]log.Record, error) {
	if err := r.fail(); err != nil {
		return nil, err
	}
	return r.Reader.Select(ctx, w, o, n)
}

type faultyTx struct {
	backend.Tx
	faults
}

func (t *faultyTx) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return faultyReader{t.Tx, t.faults}.Get(ctx, key)
}

func (t *faultyTx) Size(ctx context.Context, p keypath.Prefix) (int64, int64, error) {
	return faultyReader{t.Tx, t.faults}.Size(ctx, p)
}

func (t *faultyTx) Newest(ctx context.Context, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	if err := t.fail(); err != nil {
		return nil, err
	}
	return t.Tx.Newest(ctx, keys)
}

func (t *faultyTx) NewestEver(ctx context.Context, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	if err := t.fail(); err != nil {
		return nil, err
	}
	return t.Tx.NewestEver(ctx, keys)
}

func (t *faultyTx) Append(writes ...backend.Write) ([]log.Stamp, error) {
	if err := t.fail(); err != nil {
		return nil, err
	}
	return t.Tx.Append(writes...)
}

type faultyView struct {
	backend.Snapshot
	faults
}

func (v *faultyView) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return faultyReader{v.Snapshot, v.faults}.Get(ctx, key)
}

func (v *faultyView) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[
	log.Record, error] {
	return faultyReader{v.Snapshot, v.faults}.ScanBelow(ctx, p)
}

func (v *faultyView) Size(ctx context.Context, p keypath.Prefix) (int64, int64, error) {
	return faultyReader{v.Snapshot, v.faults}.Size(ctx, p)
}

func (v *faultyView) Select(ctx context.Context, w backend.Where, o backend.Order, n int) (
	[]log.Record, error) {
	return faultyReader{v.Snapshot, v.faults}.Select(ctx, w, o, n)
}

func (v *faultyView) Has(ctx context.Context, key keypath.Key, now log.Stamp) (bool, error) {
	if err := v.fail(); err != nil {
		return false, err
	}
	return v.Snapshot.Has(ctx, key, now)
}

func (v *faultyView) Rank(ctx context.Context, q readout.Query, w backend.Where) (
	backend.Ranking, error) {
	if err := v.fail(); err != nil {
		return backend.Ranking{}, err
	}
	return v.Snapshot.Rank(ctx, q, w)
}

func (v *faultyView) Search(ctx context.Context, q *fts.Query, w backend.Where,
	o backend.SearchOptions) ([]backend.Hit, error) {
	if err := v.fail(); err != nil {
		return nil, err
	}
	return v.Snapshot.Search(ctx, q, w, o)
}

func keyOf(name string) keypath.Key { return keypath.MustParse(name) }

func prefixOf(name string) keypath.Prefix {
	p, err := keypath.ParsePrefix(name)
	if err != nil {
		panic(err)
	}
	return p
}

var (
	aClient = mem.Caller{Client: "codex"}
	tells   = func(log.Record) error { return nil }
)

// begun begins an operation of a store under test.
func begun(t testing.TB, s *mem.Store, c mem.Caller, verb mem.Verb) *mem.Operation {
	t.Helper()
	op, err := s.Begin(c, verb)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// stored puts a write by an operation, and returns its error.
func stored(op *mem.Operation, w mem.Write) error {
	p, err := op.Check(ctx, w, false)
	if err == nil {
		_, err = op.Update(ctx, func(t *mem.Tx) error { return t.Put(p) })
	}
	return err
}

// seeded fills a store for the calls of which one fails.
func seeded(s *storetest.Store) {
	for _, pair := range [][2]string{{"/a", `{"text":"alpha beta","references":["/b"]}`},
		{"/b", `{"text":"beta","speaker":"x"}`}, {"/r", `{"type":"rule","text":"rule beta"}`},
		{"/session/s", `{"version":1}`}, {"/session/s/mem_01ARZ3NDEKTSV4RRFFQ69G5FAX",
			`{"text":"a"}`},
		{"/gone", "1"}, {"/gone", "null"}} {
		s.Put(pair[0], pair[1])
	}
	w := storetest.Write("/kb/a", `{"text":"kb"}`)
	_, err := s.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true})
	s.Must(err)
}

func drained(seq iter.Seq2[log.Record, error]) (err error) {
	for _, err = range seq {
		if err != nil {
			return err
		}
	}
	return nil
}

// faultyCalls are calls of a store that must report a fault of each call that they make below.
var faultyCalls = map[string]func(t *testing.T, s *mem.Store) error{
	"set": func(_ *testing.T, s *mem.Store) error {
		ts := log.Stamp(0)
		_, err := s.Set(ctx, aClient, write("/r2", "1"), mem.SetOptions{IfAbsent: true, IfTS: &ts})
		return err
	},
	"set over": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Set(ctx, aClient, write("/a", "1"), mem.SetOptions{})
		return err
	},
	"odd key": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Set(ctx, mem.Caller{}, write("/note/user/m-1", "1"), mem.SetOptions{})
		if errors.Is(err, policy.ErrReserved) {
			return nil
		}
		return err
	},
	"delete": func(_ *testing.T, s *mem.Store) error {
		_, _, err := s.Delete(ctx, mem.Caller{}, []keypath.Key{keyOf("/a"), keyOf("/zz")}, nil)
		return err
	},
	"batch": func(_ *testing.T, s *mem.Store) error {
		lines := `{"key":"/c","content":1,"source":"s"}
{"key":"/a","content":1,"source":"s"}
{"key":"/d","content":1,"source":"s","ts":"2020-01-01T00:00:00Z"}`
		_, err := s.SetAll(ctx, aClient, strings.NewReader(lines), mem.BatchOptions{Resume: true})
		var bad *mem.BatchError
		if errors.As(err, &bad) {
			return bad.Lines[0].Err
		}
		return err
	},
	"try": func(t *testing.T, s *mem.Store) error {
		op := begun(t, s, mem.Caller{}, policy.Import)
		p, err := op.Check(ctx, write("/c", "1"), false)
		if err == nil {
			_, err = op.TryAll(ctx, []mem.Checked{p})
		}
		w := write("/c", "1")
		at := log.StampOf(noon)
		w.TS = &at
		if err == nil {
			p, err = op.Check(ctx, w, false)
		}
		if err == nil {
			_, err = op.TryAll(ctx, []mem.Checked{p})
		}
		return err
	},
	"approve": func(_ *testing.T, s *mem.Store) error {
		_, err := approve(s, mem.Caller{}, keyOf("/kb/a"), mem.ApproveOptions{})
		return err
	},
	"stand for": func(_ *testing.T, s *mem.Store) error {
		_, err := approve(s, mem.Caller{}, keyOf("/b"), mem.ApproveOptions{})
		return err
	},
	"reject": func(_ *testing.T, s *mem.Store) error {
		_, err := reject(s, mem.Caller{}, keyOf("/kb/a"))
		return err
	},
	"get": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Get(ctx, mem.Caller{}, keyOf("/none"), false)
		if errors.Is(err, mem.ErrNotFound) {
			return nil
		}
		return err
	},
	"list": func(_ *testing.T, s *mem.Store) error {
		return s.List(ctx, mem.Caller{}, mem.Filter{},
			tells)
	},
	"every": func(_ *testing.T, s *mem.Store) error { return s.Everything(ctx, tells) },
	"history": func(_ *testing.T, s *mem.Store) error {
		v, err := s.History(ctx, mem.Caller{}, keyOf("/a"))
		if err != nil {
			return err
		}
		return errors.Join(drained(v.Rows), drained(s.HistoryBelow(ctx, prefixOf("/a"))))
	},
	"read": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 100, Pinned: true})
		return err
	},
	"read words": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 100, Query: "beta"})
		return err
	},
	"search": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "beta"})
		return err
	},
	"select": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Search(ctx, mem.Caller{}, mem.SearchOptions{})
		return err
	},
	"references": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Search(ctx, mem.Caller{}, mem.SearchOptions{References: keyOf("/a")})
		if errors.Is(err, errFault) {
			return err
		}
		_, err = s.Search(ctx, mem.Caller{}, mem.SearchOptions{References: keyOf("/a"),
			Query: "beta"})
		return err
	},
	"relevance": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "beta",
			Relevance: func(c mem.Candidate) float64 { return c.Match }})
		return err
	},
	"near": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Reader(mem.Caller{}).FindNear(ctx, "alpha", 3)
		return err
	},
	"class": func(_ *testing.T, s *mem.Store) error {
		_, err := s.ListClass(ctx, mem.Caller{}, keypath.Prefix{}, keypath.Remembered)
		return err
	},
	"sizes": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Reader(mem.Caller{}).Sizes(ctx, prefixOf("/session/s"))
		return err
	},
	"numbers": func(_ *testing.T, s *mem.Store) error {
		n, err := s.Reader(mem.Caller{}).Numbers(ctx)
		if err != nil {
			return err
		}
		defer n.Close()
		_, err = n.Of(1)
		return err
	},
	"stat": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Stat(ctx, mem.Caller{})
		return err
	},
	"settings": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Settings(ctx)
		if err == nil {
			_, err = s.ConfigText(ctx)
		}
		if err == nil {
			_, err = s.SetSetting(ctx, mem.Caller{}, "rotate.lines", "7")
		}
		return err
	},
	"copy": func(t *testing.T, s *mem.Store) error {
		op := begun(t, s, mem.Caller{}, policy.Copy)
		_, err := op.GiveConfig(ctx, []byte(`{}`))
		e := log.Envelope{Key: keyOf("/copied"), TS: 7, Content: []byte("1"), Source: []byte(`"x"`)}
		if err == nil {
			err = op.Replay(ctx, []log.Envelope{e})
		}
		return err
	},
	"remember": func(t *testing.T, s *mem.Store) error {
		return stored(begun(t, s, mem.Caller{}, policy.Remember),
			write("/session/s/mem_01ARZ3NDEKTSV4RRFFQ69G5FAY", "1"))
	},
	"session": func(t *testing.T, s *mem.Store) error {
		return errors.Join(stored(begun(t, s, mem.Caller{}, policy.Remember),
			write("/session/s", `{"version":1,"x":1}`)),
			stored(begun(t, s, mem.Caller{}, policy.Remember), write("/session/new", `{}`)))
	},
	"change": func(t *testing.T, s *mem.Store) error {
		at, _ := log.ParseTime("2026-02-22T10:00:00Z")
		c := mem.Caller{Now: at}
		return stored(begun(t, s, c, policy.Edit), write("/b", `{"text":"edited"}`))
	},
	"two": func(t *testing.T, s *mem.Store) error {
		op := begun(t, s, mem.Caller{}, policy.Move)
		to := begun(t, mem.NewMemory(), mem.Caller{}, policy.Move)
		_, err := to.UpdateWith(ctx, []*mem.Operation{op}, func(txs ...*mem.Tx) error {
			p, err := op.Check(ctx, write("/moved", "1"), false)
			if err == nil {
				err = txs[1].Put(p)
			}
			return err
		})
		return err
	},
	"stored": func(_ *testing.T, s *mem.Store) error {
		return s.EachStored(ctx, nil, tells)
	},
	"cleared": func(t *testing.T, s *mem.Store) error {
		c, err := s.Reader(mem.Caller{}).Cleared(ctx, "team")
		if err != nil {
			return err
		}
		defer c.Close()
		var errs []error
		_, _, err = c.Get(ctx, keyOf("/a"))
		errs = append(errs, err)
		_, _, err = c.GetPlaced(ctx, keyOf("/a"))
		errs = append(errs, err)
		_, _, err = c.SessionInfo(ctx, keyOf("/session/s"))
		errs = append(errs, err)
		_, err = c.Newest(ctx, keypath.Prefix{}, 2)
		errs = append(errs, err)
		_, err = c.Important(ctx, keypath.Prefix{}, 0.5)
		errs = append(errs, err)
		_, err = c.All(ctx, keypath.Prefix{})
		errs = append(errs, err)
		_, err = c.ListBetween(ctx, keypath.Event, 0, 9)
		errs = append(errs, err)
		_, err = c.Placed(ctx, keypath.Prefix{})
		errs = append(errs, err)
		_, _, err = c.Matches(ctx, "beta", keypath.Prefix{}, 3)
		return errors.Join(append(errs, err)...)
	},
	"catch up": func(_ *testing.T, s *mem.Store) error { return s.CatchUp(ctx, mem.Caller{}) },
	"purge": func(_ *testing.T, s *mem.Store) error {
		_, err := s.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{keyOf("/a")}})
		return err
	},
}

// A fault of the disk is reported, whichever call it comes in, and no call takes it for an answer.
func TestFaultsAreReported(t *testing.T) {
	for name, call := range faultyCalls {
		for at := 0; ; at++ {
			f := newStore(t)
			kept := memstore.New(func() time.Time { return f.Clock })
			f.Store = mem.New(kept, mem.Options{Now: func() time.Time { return f.Clock }})
			seeded(f)
			left := at
			s := mem.New(&faulty{kept, faults{&left}}, mem.Options{
				Now: func() time.Time { return f.Clock }})
			err := call(t, s)
			if left >= 0 {
				if at == 0 && name != "stored" || err != nil {
					t.Errorf("%s: %d calls, and then %v", name, at, err)
				}
				break
			}
			if !errors.Is(err, errFault) && !tolerated[fmt.Sprint(name, " ", at)] {
				t.Errorf("%s: a fault in call %d gives %v", name, at, err)
			}
		}
	}
}

// tolerated are the faults after which a call has an answer all the same: where the marks of older
// builds cannot be read, every line counts as marked.
var tolerated = map[string]bool{"read 4": true, "read words 3": true}
