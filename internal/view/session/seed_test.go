package session_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A record is stored as it was said, or refused with nothing left of it.
func TestEntryValidation(t *testing.T) { onEach(t, testEntryValidation) }

func testEntryValidation(t *testing.T, f *fixture) {
	long := strings.Repeat("t", 64)
	for name, r := range map[string]session.Record{
		"decision": {Type: "decision", Text: "x", Rationale: "y", Alternatives: []string{"z"}},
		"bounds":   {Text: "x", Importance: importance(0), Tags: []string{long, "a.b:c-d_e", "日程"}},
		"greatest": {Text: "x", Importance: importance(1), Role: "assistant"},
		"linked":   {Text: "x", References: []string{"mem_1", "/project/db"}},
	} {
		if _, err := f.try(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := f.Logged()
	for name, r := range map[string]session.Record{
		"type":         {Type: "fact", Text: "x"},
		"no text":      {Text: " \n"},
		"negative":     {Text: "x", Importance: importance(-0.01)},
		"too much":     {Text: "x", Importance: importance(1.01)},
		"no number":    {Text: "x", Importance: importance(math.NaN())},
		"tag":          {Text: "x", Tags: []string{"a b"}},
		"empty tag":    {Text: "x", Tags: []string{""}},
		"long tag":     {Text: "x", Tags: []string{long + "t"}},
		"reference":    {Text: "x", References: []string{"a b"}},
		"rationale":    {Type: "finding", Text: "x", Rationale: "y"},
		"alternatives": {Type: "preference", Text: "x", Alternatives: []string{"y"}},
	} {
		if _, err := f.try(r); !errors.Is(err, mem.ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f.Logged() != before {
		t.Error("something refused was stored")
	}
}

// Decay halves with each half-life, down to its minimum, and the time of a session's own counts.
func TestDecayAccuracy(t *testing.T) { onEach(t, testDecayAccuracy) }

func testDecayAccuracy(t *testing.T, f *fixture) {
	conf, err := f.Config(ctx)
	f.Must(err)
	own := session.Rules{Config: conf.With(session.Settings(),
		[]byte(`{"decay_config":{"half_life_hours":24,"min_decay_factor":0.2}}`))}
	for _, c := range []struct {
		rules session.Rules
		kind  string
		hours float64
		want  float64
	}{
		{session.Rules{Config: conf}, "conversation", 0, 1},
		{session.Rules{Config: conf}, "conversation", 1, 0.99588},
		{session.Rules{Config: conf}, "conversation", 168, 0.5},
		{session.Rules{Config: conf}, "conversation", 336, 0.25},
		{session.Rules{Config: conf}, "conversation", 1680, 0.1},
		{session.Rules{Config: conf}, "decision", 720, 0.5},
		{session.Rules{Config: conf}, "finding", 336, 0.5},
		{session.Rules{Config: conf}, "finding", -1000, 1},
		{session.Rules{Config: conf}, "preference", 100_000, 1},
		{own, "conversation", 24, 0.5},
		{own, "conversation", 240, 0.2},
		{own, "preference", 240, 1},
	} {
		now := log.StampOf(f.Clock)
		at := now - log.Stamp(c.hours*3600*1e6)
		if got := c.rules.Factor(c.kind, at, now); math.Abs(got-c.want) > 0.00001 {
			t.Errorf("%s after %v hours: %.6f, want %v", c.kind, c.hours, got, c.want)
		}
	}
}

// answers is what searches in the session find, with what each is worth.
func (f *fixture) answers() string {
	f.T.Helper()
	var b strings.Builder
	for _, o := range []mem.SearchOptions{
		{}, {Query: "tea"}, {Query: "green tea"}, {Query: "tea -green"}, {Tags: []string{"even"}},
		{Tags: []string{"!even"},
			Conditions: mem.Conditions{Types: []string{"decision"}}},
		{Conditions: mem.Conditions{MinImportance: 0.5}},
		{Query: "cup", Sort: mem.ByTime}, {Sort: mem.ByImportance},
	} {
		o.Limit = 1000
		fmt.Fprintf(&b, "%q %v %v:\n", o.Query, o.Tags, o.Sort)
		for _, found := range f.search(o) {
			fmt.Fprintf(&b, "%s %.9f %s\n", found.Record.Key, found.Score, found.Record.Content)
		}
	}
	return b.String()
}

// various remembers n records of all types.
func (f *fixture) various(n int) (ids []string) {
	f.T.Helper()
	for i := range n {
		f.Clock = f.Clock.Add(time.Minute)
		said := []string{"green tea", "black tea in a cup", "a cup", "water"}[i%4]
		ids = append(ids, f.remember(session.Record{Type: session.Types[i%4].Type,
			Text: said + fmt.Sprint(i), Importance: importance(float64(i%11) / 10),
			Tags: []string{[]string{"even", "odd"}[i%2]}}))
	}
	return ids
}

func (f *fixture) key(id string) keypath.Key {
	return keypath.MustParse("/session/" + f.id + "/" + id)
}

// What a search finds does not depend on what is derived: state, columns and full text may be
// missing, old or new.
func TestIndexBuildAndUpdate(t *testing.T) { onEach(t, testIndexBuildAndUpdate) }

func testIndexBuildAndUpdate(t *testing.T, f *fixture) {
	ids := f.various(40)
	f.sameWithoutIndex("built")
	old := f.answers()
	f.various(8)
	_, err := edit.Touch(ctx, f.Store.Store, none, []keypath.Key{f.key(ids[3])},
		edit.Changes{Add: []string{"even"}}, edit.Author{})
	f.Must(err)
	_, _, err = f.delete(ids[0])
	f.Must(err)
	now := f.answers()
	if now == old || strings.Contains(now, ids[0]) || !strings.Contains(now, `"odd","even"`) {
		t.Errorf("an update does not show:\n%s", now)
	}
	f.sameWithoutIndex("updated")
}

// sameWithoutIndex checks that the answers are the same after compactions and without a cache.
func (f *fixture) sameWithoutIndex(what string) {
	f.T.Helper()
	want := f.answers()
	same := func(when string) {
		f.T.Helper()
		if got := f.answers(); got != want {
			f.T.Errorf("%s, %s: other answers:\n%s\nwant\n%s", what, when, got, want)
		}
	}
	f.compactStore()
	same("compacted")
	f.loseCache()
	same("without a cache")
	f.compactStore()
	same("compacted again")
}

// compactStore folds the log, where there is one.
func (f *fixture) compactStore() {
	f.T.Helper()
	_, err := f.Store.Compact(ctx, none, mem.CompactOptions{})
	f.Must(err)
}

// loseCache removes the cache, if there is one.
func (f *fixture) loseCache() {
	f.T.Helper()
	if f.Root != "" {
		f.Must(f.Close())
		f.Must(os.RemoveAll(filepath.Join(f.Root, "cache")))
		f.Open()
	}
}

// Every member of a query chooses, and all of them hold together (S-18).
func TestQueryParseAndRun(t *testing.T) { onEach(t, testQueryParseAndRun) }

func testQueryParseAndRun(t *testing.T, f *fixture) {
	start := f.Clock
	at := func(days int) log.Stamp { return log.StampOf(start.AddDate(0, 0, -days)) }
	say := func(kind, text string, days int, worth float64, tags string, refs ...string) string {
		return f.remember(session.Record{Type: kind, Text: text, At: at(days), References: refs,
			Importance: importance(worth), Tags: strings.Fields(tags)})
	}
	d := say("preference", "D", 400, 0.2, "")
	c := say("finding", "C tea", 5, 1, "x.y", d)
	b := say("decision", "B tea", 3, 0.6, "x z", c)
	a := say("conversation", "A tea", 2, 0.8, "z", b, "/no/such", "mem_nobody")
	since, until := at(4), at(3)
	for _, q := range []struct {
		want string
		o    mem.SearchOptions
	}{
		{"CABD", mem.SearchOptions{}},
		{"BD", mem.SearchOptions{Conditions: mem.Conditions{Types: []string{"decision",
			"preference"}}}},
		{"CB", mem.SearchOptions{Tags: []string{"x"}}},
		{"B", mem.SearchOptions{Tags: []string{"x", "z"}}},
		{"CAB", mem.SearchOptions{Tags: []string{"x,z"}}},
		{"AD", mem.SearchOptions{Tags: []string{"!x"}}},
		{"A", mem.SearchOptions{Tags: []string{"z", "!x"}}},
		{"AB", mem.SearchOptions{Conditions: mem.Conditions{Since: &since}}},
		{"CBD", mem.SearchOptions{Conditions: mem.Conditions{Until: &until}}},
		{"B", mem.SearchOptions{Conditions: mem.Conditions{Since: &since, Until: &until}}},
		{"CAB", mem.SearchOptions{Conditions: mem.Conditions{MinImportance: 0.6}}},
		{"ABCD", mem.SearchOptions{Sort: mem.ByTime}},
		{"CABD", mem.SearchOptions{Sort: mem.ByImportance}},
		{"CA", mem.SearchOptions{Limit: 2}},
		{"CA", mem.SearchOptions{Query: "tea",
			Conditions: mem.Conditions{Types: []string{"finding", "conversation"}}}},
		{"B", mem.SearchOptions{Query: "tea", Limit: 1,
			Conditions: mem.Conditions{Types: []string{"decision"}}}},
		{"B", mem.SearchOptions{References: f.key(a)}},
		{"CB", mem.SearchOptions{References: f.key(a), Depth: 2}},
		{"CBD", mem.SearchOptions{References: f.key(a), Depth: 3}},
		{"C", mem.SearchOptions{References: f.key(a), Depth: 3, Query: "tea",
			Conditions: mem.Conditions{Types: []string{"finding"}}}},
		{"D", mem.SearchOptions{References: f.key(c), Depth: 9}},
		{"", mem.SearchOptions{References: f.key(d)}},
	} {
		if got := f.initials(q.o); got != q.want {
			t.Errorf("%+v: %s, want %s", q.o, got, q.want)
		}
	}
	if _, err := session.Search(ctx, f.Store.Store, none, mem.SearchOptions{Query: "-key:/a",
		Conditions: mem.Conditions{Prefix: f.below()}}); mem.KindOf(err) != mem.KindInput {
		t.Errorf("a wrong query: %v", err)
	}
}

// initials returns the first letters of what is found, in order.
func (f *fixture) initials(o mem.SearchOptions) (letters string) {
	f.T.Helper()
	for _, found := range f.search(o) {
		text := string(found.Record.Content)
		for _, kind := range session.Types {
			if _, said, ok := strings.Cut(text, `"`+kind.Text+`":"`); ok {
				letters += said[:1]
				break
			}
		}
	}
	return letters
}

// A writer has the store for itself, another one gives up in its time, and gets it afterwards.
func TestLockTakeAndRelease(t *testing.T) {
	f := &fixture{Store: storetest.NewStore(t, storetest.Files)}
	id, err := session.Create(ctx, f.Store.Store, none, session.CreateOptions{User: "ada"})
	f.Must(err)
	f.id = id
	other, err := mem.Open(f.Root, mem.Options{LockWait: 20 * time.Millisecond,
		Now: func() time.Time { return f.Clock }})
	f.Must(err)
	defer other.Close()
	say := func() error {
		_, err := session.Remember(ctx, other, none, id,
			session.Record{Type: "finding", Text: "x"}, session.Options{})
		return err
	}
	op, err := f.Begin(none, policy.VerbNamed("set"))
	f.Must(err)
	_, err = op.Update(ctx, func(*mem.Tx) error {
		if err := say(); !errors.Is(err, log.ErrLocked) || mem.KindOf(err) != mem.KindLocked {
			t.Errorf("while the lock is held: %v", err)
		}
		if n := len(f.search(mem.SearchOptions{})); n != 0 {
			t.Errorf("a reader found %d records", n)
		}
		return nil
	})
	f.Must(err)
	if err := say(); err != nil {
		t.Errorf("after it was released: %v", err)
	}
	if got := f.show().Entries; got != 1 {
		t.Errorf("%d entries, want 1", got)
	}
}

// What does not fit is refused and leaves nothing; what is compacted by itself, and when, is up to
// the store and to the session.
func TestSizeEnforcement(t *testing.T) { onEach(t, testSizeEnforcement) }

func testSizeEnforcement(t *testing.T, f *fixture) {
	f.Configure(`{"storage":{"max_session_size_mb":0.02,"compaction_threshold":0.5}}`)
	old := log.StampOf(f.Clock.AddDate(-1, 0, 0))
	f.fill(old, 0.1) // irrelevant
	if sum := f.show(); sum.LastCompact == nil || float64(sum.Bytes) > 0.02*(1<<20) {
		t.Errorf("%+v", sum)
	}
	f.settleIt("compaction_config.auto_compact", "false")
	compacted := *f.show().LastCompact
	f.Clock = f.Clock.Add(time.Hour)
	err := f.fill(old, 0.1)
	var full *session.FullError
	if !errors.As(err, &full) || full.Spent || full.Size <= full.Limit ||
		!strings.Contains(full.Advice().String(), "mem session compact "+f.id) {
		t.Errorf("without a compaction: %v", err)
	}
	if *f.show().LastCompact != compacted {
		t.Error("it was compacted all the same")
	}
	before := f.Logged()
	_, err = f.try(session.Record{Text: strings.Repeat("x", 2000)})
	if !errors.Is(err, session.ErrFull) {
		t.Errorf("in a full session: %v", err)
	}
	if f.Logged() != before {
		t.Error("what was refused left something")
	}
	f.settleIt("compaction_config.auto_compact", "true")
	f.remember(session.Record{Text: strings.Repeat("x", 2000)})
}

// fill remembers records until one is refused, at most 200, and returns why.
func (f *fixture) fill(at log.Stamp, worth float64) error {
	for range 200 {
		_, err := f.try(session.Record{Text: strings.Repeat("word ", 80), At: at,
			Importance: importance(worth)})
		if err != nil {
			return err
		}
	}
	return nil
}

// A line says what it said when it was written: its checksum is that of its bytes.
func TestChecksumOfLines(t *testing.T) { onEach(t, testChecksumOfLines) }

func testChecksumOfLines(t *testing.T, f *fixture) {
	id := f.remember(session.Record{Text: "green tea"})
	lines := strings.Split(f.Logged(), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, id) })
	for _, c := range []struct {
		from, to string
		want     bool
	}{{"green", "green", true}, {"green", "black", false}, {"0.5", "0.6", false}} {
		line := strings.Replace(lines[at], c.from, c.to, 1)
		if _, err := log.Decode([]byte(line)); (err == nil) != c.want {
			t.Errorf("%s for %s: %v", c.to, c.from, err)
		}
	}
}

// settleIt changes a setting of the session.
func (f *fixture) settleIt(name, value string) {
	f.T.Helper()
	_, err := session.Configure(ctx, f.Store.Store, none, f.id, name, value)
	f.Must(err)
}
