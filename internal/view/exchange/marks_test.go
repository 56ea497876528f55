package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/keypath"
)

// purge purges a key on a machine.
func (m *machine) purge(key string) {
	m.T.Helper()
	_, err := m.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{
		keypath.MustParse(key)}})
	m.Must(err)
}

// After a purge that came by an exchange no earlier command is the last one, though the journal
// names the purged key no more.
func TestPurgeByExchangeIsTheLastCommand(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b := f.machines[0], f.machines[1]
	f.sameClocks(a.Clock)
	path := f.depots[0]
	last := func() error {
		_, err := edit.LastCommand(mem.Caller{}, edit.Stores{List: []*mem.Store{a.Store.Store}})
		return err
	}
	a.Put("/important", `"keep me"`)
	a.Put("/z", `"typo"`)
	f.with(a, path)
	f.with(b, path)
	if err := last(); err != nil {
		t.Errorf("after an exchange that purges nothing: %v", err)
	}
	b.Clock = b.Clock.Add(time.Minute)
	b.purge("/z")
	f.with(b, path)
	if f.with(a, path); !errors.Is(last(), edit.ErrForGood) {
		t.Errorf("after the purge: %v", last())
	}
}

// A purge takes what its person had seen. What another machine wrote meanwhile is hidden, named
// once, and in the history; what it writes later is live; and a second purge takes the rest.
func TestPurgeTakesWhatItHasSeen(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b := f.machines[0], f.machines[1]
	f.sameClocks(a.Clock)
	path := f.depots[0]
	a.Put("/k", `"first words"`)
	f.with(a, path)
	f.with(b, path)
	b.Clock = b.Clock.Add(time.Minute)
	b.Put("/k", `"unseen words"`)
	a.Clock = a.Clock.Add(time.Hour)
	a.purge("/k")
	f.with(a, path)
	rep := f.with(b, path)
	if len(rep.Hidden) != 1 || rep.Hidden[0].Key.String() != "/k" || rep.Purged != 1 {
		t.Errorf("%+v", rep)
	}
	if in := finds(b.Root, "first words"); in != "" {
		t.Errorf("what the purge had seen is in %s", in)
	}
	if finds(b.Root, "unseen words") == "" || b.content("/k") != "" {
		t.Error("what it had not seen is not hidden in the history")
	}
	if rep = f.with(a, path); len(rep.Hidden) != 1 || rep.Hidden[0].Machine.ID != b.id {
		t.Errorf("on the purging machine: %+v", rep)
	}
	for _, m := range f.machines {
		if rep = f.with(m, path); len(rep.Hidden) != 0 {
			t.Errorf("named twice: %+v", rep)
		}
	}
	b.Clock = a.Clock.Add(time.Minute)
	b.Put("/k", `"later words"`)
	f.with(b, path)
	f.with(a, path)
	if a.content("/k") != `"later words"` {
		t.Error("what was written after the purge is not live")
	}
	a.Clock = b.Clock.Add(time.Minute)
	a.purge("/k")
	for range 2 {
		f.with(a, path)
		f.with(b, path)
	}
	for _, m := range f.machines {
		if in := finds(m.Root, " words"); in != "" {
			t.Errorf("after a second purge it is in %s", in)
		}
	}
}

// What a machine has written of a memory before it hears of a purge elsewhere is named there, once:
// the purge does not take it.
func TestWhatAPurgeHasNotSeenIsNamed(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b := f.machines[0], f.machines[1]
	f.sameClocks(a.Clock)
	path := f.depots[0]
	for _, key := range []string{"/changed", "/renamed", "/deleted", "/same"} {
		a.Put(key, `{"text":"purged words"}`)
	}
	f.with(a, path)
	f.with(b, path)
	a.Clock = a.Clock.Add(time.Minute)
	for _, key := range []string{"/changed", "/renamed", "/deleted", "/same"} {
		a.purge(key)
	}
	b.Clock = a.Clock.Add(time.Minute)
	b.Put("/changed", `{"text":"purged words","importance":1}`)
	b.Put("/new", `{"text":"purged words"}`)
	for key, source := range map[string]string{"/renamed": `{"kind":"user","locator":{"to":"/new"}}`,
		"/deleted": `{"kind":"user"}`} {
		_, _, err := b.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse(key)},
			[]byte(source))
		b.Must(err)
	}
	f.with(a, path)
	rep := f.with(b, path)
	var named []string
	for _, one := range rep.Later {
		named = append(named, one.Key.String()+" "+one.Machine.ID)
	}
	if want := []string{"/changed " + a.id, "/new " + a.id}; !slices.Equal(named, want) {
		t.Errorf("%q, want %q", named, want)
	}
	for _, m := range append(f.machines, f.machines...) {
		if rep := f.with(m, path); len(rep.Later) > 0 {
			t.Errorf("%s names %+v", m.id, rep.Later)
		}
	}
}

// A purge of a clock that is ahead takes nothing that was written after it.
func TestPurgeOfAWrongClock(t *testing.T) {
	f := newFleet(t, 3, 1)
	a, b, late := f.machines[0], f.machines[1], f.machines[2]
	f.sameClocks(a.Clock)
	path := f.depots[0]
	a.Put("/k", `"first"`)
	f.with(a, path)
	f.with(b, path)
	a.Clock = a.Clock.Add(30 * day)
	a.purge("/k")
	f.with(a, path)
	a.Clock, a.Dirty = b.Clock, true
	f.with(b, path)
	f.sameClocks(b.Clock.Add(10 * day))
	b.Put("/k", `"NEW"`)
	f.with(b, path)
	f.with(a, path)
	f.with(late, path)
	f.sameClocks(b.Clock.Add(31 * day))
	for range 2 {
		for _, m := range []*machine{b, late} {
			f.with(m, path)
			if got := m.content("/k"); got != `"NEW"` {
				t.Errorf("machine %s has %q", m.id[30:], got)
			}
		}
	}
}

// The purging machine takes all that it has, and takes that out of the depot, too: also a line of
// its own from the future that it had sent.
func TestPurgeOfALineAhead(t *testing.T) {
	f, a, b := aheadLine(t, 2)
	a.Clock = a.Clock.Add(time.Minute)
	a.purge("/k")
	_, err := a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true, TrustClock: true})
	a.Must(err)
	for range 2 {
		f.with(a, f.depots[0])
		f.with(b, f.depots[0])
	}
	for name, text := range f.unsealed(f.depots[0]) {
		if strings.Contains(text, "OLD") || strings.Contains(text, "first") {
			t.Errorf("the purged text is at the depot, in %s", name)
		}
	}
	for _, m := range f.machines {
		if in := finds(m.Root, "OLD"); in != "" {
			t.Errorf("it is in %s", in)
		}
	}
}

// A purge that comes by an exchange cleans quarantine/, also where that has the only trace.
func TestPurgeReachesQuarantine(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b := f.machines[0], f.machines[1]
	f.sameClocks(a.Clock)
	a.Put("/k", `{"text":"Zanzibar 12345"}`)
	f.with(a, f.depots[0])
	f.with(b, f.depots[0])
	a.Close()
	file := filepath.Join(a.Root, "log.jsonl")
	text, err := os.ReadFile(file)
	a.Must(err)
	a.Must(os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "12345", "99999")), 0o600))
	for _, name := range []string{"index", "state.jsonl", "cache"} {
		a.Must(os.RemoveAll(filepath.Join(a.Root, name)))
	}
	a.Open()
	_, err = a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	a.Must(err)
	if finds(filepath.Join(a.Root, "quarantine"), "Zanzibar") == "" {
		t.Fatal("the damaged line is not in quarantine")
	}
	b.Clock = b.Clock.Add(time.Minute)
	b.purge("/k")
	f.with(b, f.depots[0])
	f.with(a, f.depots[0])
	if in := finds(a.Root, "Zanzibar"); in != "" {
		t.Errorf("the purged text is in %s", in)
	}
}

// Where the segment with the mark of a purge is damaged, a machine that has not read it sends what
// the purge took. One that has takes that out of the depot, and gives the mark once more.
func TestAMarkThatCannotBeReadIsGivenAgain(t *testing.T) {
	f := newFleet(t, 3, 1)
	a, b, c, path := f.machines[0], f.machines[1], f.machines[2], f.depots[0]
	f.sameClocks(a.Clock)
	a.Put("/k", `"secret"`)
	for _, m := range f.machines {
		f.with(m, path)
	}
	known := segments(t, path)
	b.purge("/k")
	f.with(b, path)
	f.with(a, path)
	for file, data := range segments(t, path) {
		if known[file] == nil {
			a.Must(os.WriteFile(file, data[:len(data)/2], 0o600))
		}
	}
	sent, cleaned := f.with(c, path).Sent, f.with(a, path).Cleaned
	rep := f.with(c, path)
	if sent != 1 || cleaned != 1 || rep.Purged != 1 || c.content("/k") != "" {
		t.Errorf("%d sent, %d cleaned, then %+v: %s", sent, cleaned, rep, c.content("/k"))
	}
	if rep := f.with(a, path); rep.Sent+rep.Cleaned > 0 {
		t.Errorf("it goes on: %+v", rep)
	}
}

// A memory that was written here alone, and that a purge elsewhere takes by its time, is in no
// history, and is named as erased.
func TestErasedIsNamed(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b := f.machines[0], f.machines[1]
	f.sameClocks(b.Clock)
	a.Clock = a.Clock.Add(2 * time.Hour)
	a.Put("/k", `"one"`)
	a.purge("/k")
	b.Put("/k", `"two"`)
	f.with(a, f.depots[0])
	rep := f.with(b, f.depots[0])
	if len(rep.Replaced)+len(rep.Hidden) > 0 || len(rep.Erased) != 1 ||
		rep.Erased[0].Key.String() != "/k" || rep.Erased[0].Machine.ID != a.id {
		t.Errorf("%+v", rep)
	}
}

// A version that no other machine has seen, and another one's replaces, is named.
func TestReplacedIsNamed(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b := f.machines[0], f.machines[1]
	f.sameClocks(a.Clock)
	a.Put("/k", `"one"`)
	a.Put("/same", `"same"`)
	b.Clock = b.Clock.Add(time.Minute)
	b.Put("/k", `"two"`)
	b.Put("/same", `"same"`)
	f.with(b, f.depots[0])
	rep := f.with(a, f.depots[0])
	if len(rep.Replaced) != 1 || rep.Replaced[0].Key.String() != "/k" ||
		rep.Replaced[0].Machine.ID != b.id {
		t.Errorf("%+v", rep)
	}
	b.Clock = b.Clock.Add(time.Minute)
	b.Put("/k", `"three"`)
	f.with(b, f.depots[0])
	if rep = f.with(a, f.depots[0]); len(rep.Replaced) != 0 || a.content("/k") != `"three"` {
		t.Errorf("a version that had seen it: %+v", rep)
	}
}

// A version that had been sent, and that a machine replaces which had not seen it, is named there.
func TestOverruledIsNamed(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b := f.machines[0], f.machines[1]
	f.sameClocks(a.Clock)
	a.Put("/k", `"one"`)
	a.Put("/k", `"two"`)
	a.Put("/older", `"one"`)
	a.Put("/newest", `"one"`)
	a.Put("/same", `"same"`)
	b.Clock = b.Clock.Add(time.Minute)
	for _, key := range []string{"/k", "/same", "/newest"} {
		b.Put(key, `"same"`)
	}
	a.Clock = b.Clock.Add(time.Minute)
	a.Put("/newest", `"two"`)
	f.with(a, f.depots[0])
	rep := f.with(b, f.depots[0])
	if len(rep.Overruled) != 1 || rep.Overruled[0].Key.String() != "/k" ||
		rep.Overruled[0].Machine.ID != a.id || len(rep.Replaced) != 1 {
		t.Errorf("%+v", rep)
	}
	if rep = f.with(a, f.depots[0]); len(rep.Overruled)+len(rep.Replaced) != 0 {
		t.Errorf("at the other machine: %+v", rep)
	}
}

// A segment that stays unreadable for a day is sent again, once, by a machine that knows it; one
// that no machine has read stays.
func TestDepotHeals(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b, path := f.machines[0], f.machines[1], f.depots[0]
	f.sameClocks(a.Clock)
	a.Put("/k/1", `"one"`)
	f.with(a, path)
	f.with(b, path)
	a.Put("/k/2", `"two"`)
	known := segments(t, path)
	f.with(a, path)
	for file, data := range segments(t, path) {
		if known[file] == nil {
			a.Must(os.WriteFile(file, data[:len(data)/2], 0o600))
		}
	}
	unknown := filepath.Join(path, "00", strings.Repeat("0", 64))
	a.Must(os.MkdirAll(filepath.Dir(unknown), 0o700))
	a.Must(os.WriteFile(unknown, []byte("x"), 0o600))
	var past places.Past
	for range 3 {
		f.with(b, path)
		rep := f.with(a, path)
		past = places.ReadPast(f.job(b, nil, path).SeenFile)
		if rep.Healed != 0 || len(past.Unread) != 2 {
			t.Errorf("within a day: %+v, %+v", rep, past)
		}
	}
	f.sameClocks(a.Clock.Add(25 * time.Hour))
	healed := 0
	for range 4 {
		f.with(b, path)
		healed += f.with(a, path).Healed
	}
	if healed != 1 || b.content("/k/2") != `"two"` {
		t.Errorf("%d segments healed, and b has %q", healed, b.content("/k/2"))
	}
	if _, err := os.Stat(unknown); err != nil {
		t.Errorf("a segment that no machine has read: %v", err)
	}
	if past = places.ReadPast(f.job(b, nil, path).SeenFile); len(past.Unread) != 1 {
		t.Errorf("%+v", past)
	}
}

// A segment of the user's memory that is damaged before the exchange of a project, on the machine
// that sent it, has met it: no other machine need miss it.
func TestASegmentOfOnesOwnHeals(t *testing.T) {
	f := newFleet(t, 1, 1)
	a, path := f.machines[0], f.depots[0]
	project := func() exchange.Report {
		return f.withJob(a, func(j *exchange.Job) {
			j.Scope, j.SeenFile = strings.Repeat("0123456789abcdef", 4), j.SeenFile+"-project"
			j.FutureFile += "-project"
		})
	}
	a.Put("/k", `"text"`)
	f.with(a, path)
	for file, data := range segments(t, path) {
		a.Must(os.WriteFile(file, data[:len(data)/2], 0o600))
	}
	healed, rejected := 0, len(project().Rejected)
	for range 3 {
		a.Clock = a.Clock.Add(20 * time.Hour)
		healed += f.with(a, path).Healed
		rejected = len(project().Rejected)
		healed += f.with(a, path).Healed
	}
	if rep := project(); healed != 1 || len(rep.Rejected) != 0 {
		t.Errorf("%d healed, %d rejected, then %+v", healed, rejected, rep)
	}
	sent := len(segments(t, path))
	for range 3 {
		a.Clock = a.Clock.Add(25 * time.Hour)
		f.with(a, path)
		project()
	}
	if n := len(segments(t, path)); n != sent {
		t.Errorf("%d segments, and then %d", sent, n)
	}
}

// A segment that a machine has read is healed also where that machine reads all of them again
// meanwhile, and where the one that cannot read it first met it with a clock that was ahead; it
// says so again where nobody could heal it.
func TestDepotHealsLater(t *testing.T) {
	for _, c := range []struct {
		name string
		met  func(f *fleet, file string) // what happens when it has been damaged
	}{
		{"all is read again", func(f *fleet, file string) {
			f.with(f.machines[1], f.depots[0])
			for other := range segments(f.t, f.depots[0]) {
				if other != file {
					f.machines[0].Must(os.Remove(other))
				}
			}
			f.with(f.machines[0], f.depots[0])
		}},
		{"a clock was ahead", func(f *fleet, _ string) {
			b := f.machines[1]
			now := b.Clock
			b.Clock = now.Add(900 * day)
			f.with(b, f.depots[0])
			b.Clock = now
			f.with(b, f.depots[0])
		}},
		{"all is read again in parts", func(f *fleet, file string) {
			a, b, path := f.machines[0], f.machines[1], f.depots[0]
			for i := range 20 { // some of their names come before the other's
				b.Put(fmt.Sprintf("/k/b%d", i), `"`+strings.Repeat("x", 300)+`"`)
				f.with(b, path)
			}
			f.with(a, path)
			for other := range segments(f.t, path) {
				if other != file {
					a.Must(os.Remove(other))
					break
				}
			}
			defer exchange.SetRoom(1000)()
			f.with(a, path)
		}},
		{"its home is a copy of the other's", func(f *fleet, _ string) {
			f.machines[1].id = f.machines[0].id
			f.with(f.machines[1], f.depots[0])
		}},
		{"nobody could heal it", func(f *fleet, file string) {
			a, b := f.machines[0], f.machines[1]
			f.with(b, f.depots[0])
			f.sameClocks(a.Clock.Add(2 * day))
			f.with(b, f.depots[0])
			d, err := depot.OpenFolder(f.depots[0])
			a.Must(err)
			defer d.Close()
			f.withJob(a, func(j *exchange.Job) { j.Place = failingAt{d, filepath.Base(file)} })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFleet(t, 2, 1)
			a, b, path := f.machines[0], f.machines[1], f.depots[0]
			f.sameClocks(a.Clock)
			a.Put("/k/1", `"one"`)
			f.with(a, path)
			f.with(b, path)
			known := segments(t, path)
			a.Put("/k/2", `"two"`)
			f.with(a, path)
			for file, data := range segments(t, path) {
				if known[file] == nil {
					a.Must(os.WriteFile(file, data[:len(data)/2], 0o600))
					c.met(f, file)
				}
			}
			f.sameClocks(a.Clock.Add(2 * day))
			healed := 0
			for range 3 {
				f.with(b, path)
				healed += f.with(a, path).Healed
			}
			if rep := f.with(b, path); len(rep.Rejected) > 0 || b.content("/k/2") != `"two"` {
				t.Errorf("%d healed, and b has %q: %+v", healed, b.content("/k/2"), rep)
			}
		})
	}
}

// failing is a depot whose segments cannot be fetched.
type failing struct{ exchange.Place }

func (failing) Get(string) ([]byte, error) { return nil, syscall.EIO }

// A disk that fails for a while, and lines that wait, cost no segment.
func TestOnlyRottenSegmentsAreReplaced(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b, path := f.machines[0], f.machines[1], f.depots[0]
	f.sameClocks(a.Clock)
	a.Put("/k", `"one"`)
	f.with(a, path)
	there := segments(t, path)
	unread := func(j *exchange.Job) { j.Place = failing{j.Place} }
	f.withJob(b, unread)
	b.Clock = b.Clock.Add(2 * day)
	b.Put("/own", `"own"`)
	f.withJob(b, unread)
	if len(segments(t, path)) != len(there)+2 {
		t.Fatal("it did not complain")
	}
	d, err := depot.OpenFolder(path)
	a.Must(err)
	defer d.Close()
	a.Clock = b.Clock
	for file := range there {
		if rep := f.withJob(a, func(j *exchange.Job) {
			j.Place = failingAt{d, filepath.Base(file)}
		}); rep.Healed != 0 {
			t.Errorf("%+v", rep)
		}
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// failingAt is a depot one of whose segments cannot be fetched.
type failingAt struct {
	exchange.Place
	name string
}

func (f failingAt) Get(name string) ([]byte, error) {
	if name == f.name {
		return nil, syscall.EIO
	}
	return f.Place.Get(name)
}

// slow is a depot at which the time is over with each segment that is fetched.
type slow struct {
	exchange.Place
	ctx context.Context
}

func (s slow) Get(name string) ([]byte, error) {
	defer func() { <-s.ctx.Done() }()
	return s.Place.Get(name)
}

// An exchange whose time is over in the middle goes on where it was.
func TestCutExchangeGoesOn(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b, path := f.machines[0], f.machines[1], f.depots[0]
	for i := range 8 {
		a.Put(fmt.Sprint("/k/", i), `"text"`)
		f.with(a, path)
	}
	d, err := depot.OpenFolder(path)
	a.Must(err)
	defer d.Close()
	calls := 0
	for ; calls < 20 && len(b.keys()) < 8; calls++ {
		soon, stop := context.WithTimeout(ctx, 20*time.Millisecond)
		_, err := exchange.Run(soon, mem.Caller{}, f.job(b, slow{d, soon}, path))
		if stop(); !errors.Is(err, context.DeadlineExceeded) && len(b.keys()) < 8 {
			t.Fatal(err)
		}
	}
	if len(b.keys()) != 8 || calls < 7 {
		t.Errorf("after %d exchanges of one segment it has %d memories", calls, len(b.keys()))
	}
}

// A version that an undo brought back on a machine which had not met the purge goes with the
// version whose text it has, however often it was undone.
func TestPurgeTakesWhatAnUndoBroughtBack(t *testing.T) {
	for _, undos := range []int{1, 3} {
		f := newFleet(t, 2, 1)
		a, b, path := f.machines[0], f.machines[1], f.depots[0]
		f.sameClocks(a.Clock)
		a.Put("/k", `"first words"`)
		a.Put("/k", `"second words"`)
		f.with(a, path)
		f.with(b, path)
		a.Clock = a.Clock.Add(time.Minute)
		a.purge("/k")
		b.Clock = a.Clock.Add(time.Hour)
		for range undos {
			_, err := edit.Undo(ctx, b.Store.Store, mem.Caller{}, keypath.MustParse("/k"), nil,
				edit.Author{})
			b.Must(err)
		}
		for range 2 {
			f.with(a, path)
			f.with(b, path)
		}
		for _, m := range f.machines {
			if in := finds(m.Root, " words"); in != "" {
				t.Errorf("after %d undos it is in %s", undos, in)
			}
		}
	}
}
