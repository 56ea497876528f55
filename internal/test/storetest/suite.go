package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Upkeep is what is done to a store of files between two calls, and by others meanwhile. A backend
// under test that has it must answer the same whenever it was done.
type Upkeep interface {
	Compact()               // folds the log into the state
	Rotate()                // moves the log to the archives, too
	Reopen()                // closes the store and opens it again
	Hold() (release func()) // takes the store's lock as another process does
}

// testCase is a part of the suite.
type testCase struct {
	name string
	run  func(*suite)
}

// comparisons hold many answers against those of a model, one call after the other: under the race
// detector they would take minutes, and show it nothing that cases do not.
var comparisons = []testCase{
	{"select in an update", testSelectInUpdate}, {"search", testSearch}, {"near", testNear},
	{"naming", testNaming}, {"left out", testLeftOut}, {"random", testRandom},
}

// cases are all others that every backend has to pass, by name.
var cases = []testCase{
	{"empty", testEmpty},
	{"set", testSet},
	{"batch", testBatch},
	{"conditions", testConditions},
	{"history", testHistory},
	{"read", testRead},
	{"select", testSelect},
	{"neighbors", testNeighbors},
	{"has", testHas},
	{"statistics", testStats},
	{"personal", testPersonal},
	{"numbers", testNumbers},
	{"numbers in one group", testNumbersInAGroup},
	{"sizes", testSizes},
	{"sizes of imports", testSizesOfImports},
	{"sizes in one update", testSizesInOneUpdate},
	{"sizes of snapshots", testSizesOfSnapshots},
	{"configuration", testConfig},
	{"erase", testErase},
	{"erase without a trace", testEraseKeys},
	{"blobs", testBlobs},
	{"blobs that are refused", testBlobsRefused},
	{"sums of blobs", testBlobSums},
	{"erase blobs", testEraseBlobs},
	{"blobs erased and put in turn", testBlobsInTurn},
	{"blobs erased and put at the same time", testBlobsRace},
	{"imports", testImports},
	{"imports in one update", testImportsInOneUpdate},
	{"quarantine", testQuarantine},
	{"expiry", testExpiry},
	{"clocks", testClocks},
	{"goroutines", testGoroutines},
	{"callers that cancel", testCancel},
	{"some callers cancel", testSomeCancel},
	{"an update that fails", testFailingUpdate},
	{"snapshots", testSnapshots},
	{"journals", testJournals},
}

// upkeep are the ways in which a case is run on a store of files.
var upkeep = []struct {
	name string
	do   func(Upkeep)
	live bool // it may be done while others write
}{
	{"compacted", Upkeep.Compact, true},
	{"rotated", Upkeep.Rotate, true},
	{"reopened", Upkeep.Reopen, false},
}

// Run is the suite. open returns an empty backend, which lives as long as its test; where it has
// Upkeep each case also runs with that done in between.
func Run(t *testing.T, open func(testing.TB) backend.Backend) {
	RunCases(t, open)
	RunComparisons(t, open)
}

// RunCases is the part of the suite that the race detector watches.
func RunCases(t *testing.T, open func(testing.TB) backend.Backend) { run(t, cases, open) }

// RunComparisons is the rest of the suite.
func RunComparisons(t *testing.T, open func(testing.TB) backend.Backend) {
	run(t, comparisons, open)
}

func run(t *testing.T, list []testCase, open func(testing.TB) backend.Backend) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			t.Run("alone", func(t *testing.T) {
				c.run(newSuite(t, open, func(Upkeep) {}, true))
			})
			if _, ok := open(t).(Upkeep); !ok {
				return
			}
			for _, u := range testkit.Sample(t, upkeep, len(upkeep), 1) {
				t.Run(u.name, func(t *testing.T) { c.run(newSuite(t, open, u.do, u.live)) })
			}
		})
	}
}

// suite is one case on one backend.
type suite struct{ *subject }

// subject is a backend under test, with the clock of its callers.
type subject struct {
	*testing.T
	backend.Backend
	ctx  context.Context
	now  log.Stamp // of every call
	open func(testing.TB) backend.Backend
	do   func(Upkeep)
	live bool
}

func newSuite(
	t *testing.T, open func(testing.TB) backend.Backend, do func(Upkeep), live bool,
) *suite {
	return &suite{&subject{
		T: t, Backend: open(t), ctx: context.Background(), now: log.StampOf(Noon),
		open: open, do: do, live: live,
	}}
}

// again is the suite on another store that is empty.
func (s *suite) again() *suite { return newSuite(s.T, s.open, s.do, s.live) }

// between does the upkeep, if there is any.
func (s *subject) between() {
	if u, ok := s.Backend.(Upkeep); ok {
		s.do(u)
	}
}

// meanwhile does the upkeep while others use the store, if that may be.
func (s *subject) meanwhile() {
	if s.live {
		s.between()
	}
}

func (s *subject) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// check is must for goroutines, which may not end the test.
func (s *subject) check(err error) {
	s.Helper()
	if err != nil {
		s.Error(err)
	}
}

func (s *subject) caller() backend.Caller { return backend.Caller{Now: s.now} }

// pass lets time pass.
func (s *subject) pass(d time.Duration) { s.now += log.Stamp(d.Microseconds()) }

func (s *subject) update(fn func(backend.Tx) error) error {
	return s.Update(s.ctx, s.caller(), "test", fn)
}

// put stores pairs of key and content in one update.
func (s *subject) put(pairs ...string) []log.Stamp {
	s.Helper()
	stamps, err := write(s.ctx, s, s.caller(), "test", envelopes(pairs...)...)
	s.must(err)
	return stamps
}

// take imports a content with its time.
func (s *subject) take(key string, ts log.Stamp, content string) {
	s.Helper()
	e := envelopes(key, content)[0]
	e.TS = ts
	stamps, err := write(s.ctx, s, s.caller(), "import", e)
	s.must(err)
	if len(stamps) != 1 || stamps[0] != ts {
		s.Errorf("%s was imported with %v, not %s", key, stamps, ts)
	}
}

func envelopes(pairs ...string) []log.Envelope {
	var list []log.Envelope
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, log.Envelope{
			Key: keypath.MustParse(pairs[i]), Source: []byte(`"test"`), Content: []byte(pairs[i+1]),
		})
	}
	return list
}

// appendTo appends envelopes; one with a ts is imported.
func appendTo(tx backend.Tx, list ...log.Envelope) ([]log.Stamp, error) {
	writes := make([]backend.Write, len(list))
	for i, e := range list {
		writes[i] = backend.Write{Envelope: e, Imported: e.TS != 0}
	}
	return tx.Append(writes...)
}

// write is an update of one append.
func write(
	ctx context.Context, b backend.Backend, c backend.Caller, op string, list ...log.Envelope,
) (stamps []log.Stamp, err error) {
	err = b.Update(ctx, c, op, func(tx backend.Tx) (err error) {
		stamps, err = appendTo(tx, list...)
		return err
	})
	return stamps, err
}

func keysOf(texts ...string) []keypath.Key {
	var keys []keypath.Key
	for _, text := range texts {
		keys = append(keys, keypath.MustParse(text))
	}
	return keys
}

// prefix parses a prefix; "" is that of every key.
func prefix(text string) (p keypath.Prefix) {
	if text != "" {
		var err error
		if p, err = keypath.ParsePrefix(text); err != nil {
			panic(err)
		}
	}
	return p
}

const none = "(none)"

// got returns the content of a key; none where it has no live record.
func (s *subject) got(r backend.Reader, key string) string {
	s.Helper()
	return s.contentOf(r.Get(s.ctx, keypath.MustParse(key)))
}

func (s *subject) contentOf(rec log.Record, found bool, err error) string {
	s.Helper()
	s.must(err)
	if !found {
		return none
	}
	if e, err := log.Decode(rec.Line); err != nil || e.Key != rec.Key || e.TS != rec.TS ||
		string(e.Content) != string(rec.Content) || string(e.Source) != string(rec.Source) {
		s.Errorf("%s comes with the line %s (%v)", rec.Key, rec.Line, err)
	}
	return string(rec.Content)
}

// below returns "key=content" of every live record under a prefix.
func (s *subject) below(r below, under string) string {
	s.Helper()
	var list []string
	last := ""
	for rec, err := range r.ScanBelow(s.ctx, prefix(under)) {
		s.must(err)
		if rec.Key.String() <= last {
			s.Errorf("%s comes after %s", rec.Key, last)
		}
		last = rec.Key.String()
		list = append(list, last+"="+s.contentOf(rec, true, nil))
	}
	return strings.Join(list, " ")
}

// holds checks what is live, by every way to ask for it.
func (s *suite) holds(what string, pairs ...string) {
	s.Helper()
	snap := s.snapshot()
	defer snap.Close()
	var want []string
	for i := 0; i < len(pairs); i += 2 {
		key, content := pairs[i], pairs[i+1]
		if content != none {
			want = append(want, key+"="+content)
		}
		s.same(what+": snapshot: "+key, s.got(snap, key), content)
		s.same(what+": get: "+key, s.contentOf(s.Get(s.ctx, keypath.MustParse(key))), content)
		s.must(s.update(func(tx backend.Tx) error {
			s.same(what+": update: "+key, s.got(tx, key), content)
			return nil
		}))
	}
	slices.Sort(want)
	s.same(what, s.below(snap, ""), strings.Join(want, " "))
	s.same(what+": below", s.below(s, ""), strings.Join(want, " "))
}

func (s *subject) snapshot() backend.Snapshot {
	s.Helper()
	snap, err := s.Snapshot(s.ctx)
	s.must(err)
	return snap
}

func (s *subject) same(what string, got, want any) {
	s.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		s.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// history returns every record there ever was.
func (s *subject) history() []log.Record {
	s.Helper()
	var list []log.Record
	for rec, err := range s.History(s.ctx) {
		s.must(err)
		list = append(list, rec.Clone())
	}
	return list
}

// folded returns what the history says is newest.
func (s *subject) folded() state.Fold {
	s.Helper()
	fold := state.Fold{}
	for _, rec := range s.history() {
		fold.Add(rec)
	}
	return fold
}
