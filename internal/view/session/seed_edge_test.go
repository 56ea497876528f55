package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The real limit: a session of 10 MiB to the byte is taken, and one byte more is not.
func TestSessionExactlyAtLimit(t *testing.T) { onEach(t, testSessionExactlyAtLimit) }

func testSessionExactlyAtLimit(t *testing.T, f *fixture) {
	const limit = 10 << 20
	f.remember(session.Record{Text: "x"})
	one := f.show().Bytes
	for f.show().Bytes < limit-1_000_000 {
		f.remember(session.Record{Text: strings.Repeat("x", 900_000)})
	}
	text := strings.Repeat("y", int(limit-f.show().Bytes-one)+1)
	before := f.Logged()
	if _, err := f.try(session.Record{Text: text + "y"}); !errors.Is(err, session.ErrFull) {
		t.Errorf("one byte too much: %v", err)
	}
	if f.Logged() != before {
		t.Error("what was refused left something")
	}
	f.remember(session.Record{Text: text})
	if got := f.recount(); got != limit || f.show().Bytes != limit {
		t.Errorf("%d bytes, %d told, want %d", got, f.show().Bytes, limit)
	}
}

// recount returns the size of the session by its definition, from every line that was ever written.
func (f *fixture) recount() (size int64) {
	f.T.Helper()
	one, err := session.Load(ctx, f.Store.Store, none, f.id)
	f.Must(err)
	newest := map[keypath.Key]log.Record{}
	f.Must(f.Everything(ctx, func(rec log.Record) error {
		if rec.Key.Class() != keypath.Remembered || !f.below().Holds(rec.Key) {
			return nil
		}
		if old, is := newest[rec.Key]; !is || rec.Wins(old) {
			newest[rec.Key] = rec.Clone()
		}
		return nil
	}))
	for _, rec := range newest {
		byCompaction := jsontext.Unquote(jsontext.ParseMembers(rec.Source).Get("name")) ==
			"session-compaction"
		if rec.Valid() || !byCompaction && rec.TS > one.LastCompaction {
			size += int64(len(rec.Line)) + 1
		}
	}
	return size
}

// Many who write at once all get their records in, and the size is that of a recount.
func TestConcurrentWritesToOneSession(t *testing.T) { onEach(t, testConcurrentWrites) }

func testConcurrentWrites(t *testing.T, f *fixture) {
	const writers, each = 8, 10
	var all sync.WaitGroup
	ids := make([][]string, writers)
	for w := range writers {
		all.Go(func() {
			for i := range each {
				id, err := f.try(session.Record{Text: fmt.Sprintf("record %d of %d", i, w)})
				if err != nil {
					t.Error(err)
				}
				ids[w] = append(ids[w], id)
			}
		})
	}
	all.Wait()
	sum := f.show()
	if sum.Entries != writers*each || sum.Bytes != f.recount() {
		t.Errorf("%+v, want %d entries and %d bytes", sum, writers*each, f.recount())
	}
	for w, list := range ids {
		for i, id := range list {
			if want := fmt.Sprintf("record %d of %d", i, w); !strings.Contains(
				f.Content("/session/"+f.id+"/"+id), want) {
				t.Errorf("%s does not say %q", id, want)
			}
		}
	}
}

// A record that was cut off by a power loss is as if it had never been; the next write goes on, and
// the bytes are kept.
func TestPowerLossMidWrite(t *testing.T) { onFiles(t, testPowerLossMidWrite) }

func testPowerLossMidWrite(t *testing.T, f *fixture) {
	f.various(5)
	whole, size := f.answers(), f.show().Bytes
	id := f.remember(session.Record{Text: "cut off"})
	// The index never has what the log was not synced with.
	f.Must(os.Remove(f.FilePath(keypath.MustParse("/session/" + f.id + "/" + id))))
	path := f.File("log.jsonl")
	text, err := os.ReadFile(path)
	f.Must(err)
	for cut := 1; cut < 500; cut += 97 {
		f.Must(f.Close())
		f.Must(os.WriteFile(path, text[:len(text)-cut], 0o600))
		f.Open()
		if cut > 1 && (f.answers() != whole || f.show().Bytes != size) {
			t.Errorf("%d bytes missing: %d bytes of records, want %d", cut, f.show().Bytes, size)
		}
	}
	f.various(1)
	if sum := f.show(); sum.Entries != 6 || sum.Bytes != f.recount() {
		t.Errorf("%+v, want 6 entries and %d bytes", sum, f.recount())
	}
}

// onFiles runs a test that needs files.
func onFiles(t *testing.T, fn func(*testing.T, *fixture)) {
	f := &fixture{Store: storetest.NewStore(t, storetest.Files)}
	var err error
	f.id, err = session.Create(ctx, f.Store.Store, none, session.CreateOptions{User: "ada"})
	f.Must(err)
	fn(t, f)
}

// Whatever is derived may be damaged: the answers and the size are the same, and a repair mends it.
func TestCorruptedIndexFile(t *testing.T) { onFiles(t, testCorruptedIndexFile) }

func testCorruptedIndexFile(t *testing.T, f *fixture) {
	ids := f.various(30)
	_, _, err := f.delete(ids[1])
	f.Must(err)
	f.compactStore()
	f.various(3)
	want, size, logged := f.answers(), f.show().Bytes, f.Logged()
	index := filepath.Join("index", filepath.FromSlash(string(f.key(ids[5]).Path())))
	for _, name := range []string{index, "cache/sizes", "cache/columns", "cache/fts",
		"checkpoint.json", "watermark"} {
		for how, harm := range map[string]func([]byte) []byte{
			"cut":     func(b []byte) []byte { return b[:len(b)/2] },
			"empty":   func([]byte) []byte { return nil },
			"changed": func(b []byte) []byte { b[len(b)/2] ^= 0x11; return b },
		} {
			text, err := os.ReadFile(f.File(name))
			f.Must(err)
			f.Must(f.Close())
			f.Must(os.WriteFile(f.File(name), harm(text), 0o600))
			f.Open()
			if got := f.answers(); got != want || f.show().Bytes != size {
				t.Errorf("%s is %s: %d bytes, want %d, and the answers\n%s", name, how,
					f.show().Bytes, size, got)
			}
			f.repair()
			if got := f.answers(); got != want || f.show().Bytes != size || f.Logged() != logged {
				t.Errorf("%s was %s, and is repaired: other answers", name, how)
			}
			f.compactStore()
		}
	}
}

// repair repairs the store, after which nothing is left to find.
func (f *fixture) repair() (found []fsck.Finding) {
	f.T.Helper()
	rep, err := f.Fsck(ctx, none, mem.FsckOptions{Repair: true})
	f.Must(err)
	if len(rep.Left) > 0 {
		f.T.Errorf("not repaired: %v", rep.Left)
	}
	return rep.Found
}

// What lies in the future counts as now: it is never worth more than what was said now.
func TestFutureTimestamps(t *testing.T) { onEach(t, testFutureTimestamps) }

func testFutureTimestamps(t *testing.T, f *fixture) {
	const year = 365 * 24 * time.Hour
	for _, ahead := range []time.Duration{0, time.Second, year / 100, 100 * year} {
		f.remember(session.Record{Text: "tea", Importance: importance(0.8),
			At: log.StampOf(f.Clock.Add(ahead))})
	}
	same := func(when string, want float64) {
		t.Helper()
		for _, found := range f.search(mem.SearchOptions{}) {
			if d := found.Score - want; d > 1e-9 || d < -1e-9 {
				t.Errorf("%s: %s is worth %v, want %v", when, found.Record.Content,
					found.Score, want)
			}
		}
	}
	same("as it is said", 0.8*1.5)
	f.Clock = f.Clock.AddDate(300, 0, 0) // all of it is long ago
	same("long after", 0.8*0.1)
	f.Clock = f.Clock.AddDate(-400, 0, 0) // the clock was wrong
	same("before", 0.8*1.5)
	f.Clock = f.Clock.AddDate(100, 0, 0) // for fsck
}

// A text comes back as it was given, and is found by its words.
func TestUnicodeAndSpecialCharacters(t *testing.T) { onEach(t, testUnicode) }

func testUnicode(t *testing.T, f *fixture) {
	for text, word := range map[string]string{
		"用户喜欢绿茶":                        "绿茶",
		"naïve café Ångström":           "ångström",
		"emoji 👩‍💻🏽 zwj":                "zwj",
		"tab\tnew\nline\r\nback\\slash": "slash",
		`"quotes" and {"json":[1,2]}`:   "quotes",
		"nul \x00 and del \x7f control": "control",
		"عربي עברית \u202eover\u202c":   "עברית",
		"<b>&amp;</b> --flag $(x)":      "flag",
		"\u2028separator\u2029":         "separator",
	} {
		id := f.remember(session.Record{Type: "finding", Text: text, Tags: []string{"日程"}})
		stored := []byte(f.Content("/session/" + f.id + "/" + id))
		if got := jsontext.Unquote(jsontext.ParseMembers(stored).Get("finding")); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
		found := f.search(mem.SearchOptions{Query: word, Tags: []string{"日程"}})
		if len(found) == 0 || found[0].Record.Key != f.key(id) {
			t.Errorf("%s: %d found, and not first %q", word, len(found), text)
		}
	}
	if _, err := f.try(session.Record{Text: "bad \xff"}); mem.KindOf(err) != mem.KindInput {
		t.Errorf("no UTF-8: %v", err)
	}
}

// A record may say a million bytes, and not one more.
func TestEntryLargerThan1MB(t *testing.T) { onEach(t, testLargeEntry) }

func testLargeEntry(t *testing.T, f *fixture) {
	text := strings.Repeat("x", session.MaxContent)
	before := f.Logged()
	if _, err := f.try(session.Record{Text: text + "x"}); !errors.Is(err, policy.ErrTooLarge) {
		t.Errorf("one byte too much: %v", err)
	}
	_, err := f.try(session.Record{Type: "decision", Text: text, Rationale: "y"})
	if !errors.Is(err, policy.ErrTooLarge) {
		t.Errorf("a rationale too much: %v", err)
	}
	if f.Logged() != before {
		t.Error("what was refused left something")
	}
	id := f.remember(session.Record{Text: text})
	stored := []byte(f.Content("/session/" + f.id + "/" + id))
	if got := jsontext.Unquote(jsontext.ParseMembers(stored).Get("message")); got != text {
		t.Errorf("%d bytes came back, of %d", len(got), len(text))
	}
}

// References in a circle end, and a record is not among those it leads to.
func TestCircularReferences(t *testing.T) { onEach(t, testCircularReferences) }

func testCircularReferences(t *testing.T, f *fixture) {
	a := f.remember(session.Record{Text: "A"})
	b := f.remember(session.Record{Text: "B", References: []string{a}})
	c := f.remember(session.Record{Text: "C", References: []string{b, f.key(b).String()}})
	refer := func(id, to string) {
		content := strings.Replace(f.Content("/session/"+f.id+"/"+id), `"schema_version"`,
			`"references":["`+to+`"],"schema_version"`, 1)
		f.Import("/session/"+f.id+"/"+id, content)
	}
	f.Clock = f.Clock.Add(time.Minute)
	refer(a, c) // a -> c -> b -> a
	self := f.remember(session.Record{Text: "S"})
	f.Clock = f.Clock.Add(time.Minute)
	refer(self, self)
	for _, q := range []struct {
		from  string
		depth int
		want  string
	}{{a, 0, "C"}, {a, 1, "C"}, {a, 2, "BC"}, {a, 3, "BC"}, {a, 1 << 30, "BC"}, {b, 9, "AC"},
		{self, 9, ""}} {
		got := f.initials(mem.SearchOptions{References: f.key(q.from), Depth: q.depth})
		if len(got) != len(q.want) || strings.Trim(got, q.want) != "" {
			t.Errorf("%s to depth %d: %s, want %s", q.from, q.depth, got, q.want)
		}
	}
}

// A deletion of what is not there says so and leaves nothing.
func TestDeletingAMissingMemory(t *testing.T) { onEach(t, testDeletingAMissingMemory) }

func testDeletingAMissingMemory(t *testing.T, f *fixture) {
	id := f.remember(session.Record{Text: "x"})
	_, missing, err := f.delete(id)
	if f.Must(err); len(missing) > 0 {
		t.Errorf("%v is missing", missing)
	}
	before := f.Logged()
	for _, id := range []string{id, "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"} {
		done, missing, err := f.delete(id)
		if err != nil || len(done) > 0 || len(missing) != 1 || missing[0] != f.key(id) {
			t.Errorf("%s: %v %v %v", id, done, missing, err)
		}
	}
	if _, err := session.Delete(ctx, f.Store.Store, none, "nosuch", ""); !errors.Is(err,
		session.ErrNotFound) || !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("a session that is not there: %v", err)
	}
	if f.Logged() != before {
		t.Error("a tombstone of nothing")
	}
}

// A query without results is no error, in a session that is empty and in one that is not.
func TestQueryWithoutResults(t *testing.T) { onEach(t, testQueryWithoutResults) }

func testQueryWithoutResults(t *testing.T, f *fixture) {
	for range 2 {
		for _, o := range []mem.SearchOptions{{Query: "zebra"}, {Tags: []string{"zebra"}},
			{Conditions: mem.Conditions{Types: []string{"zebra"}}}, {Query: "tea",
				Conditions: mem.Conditions{MinImportance: 0.99}}} {
			if found := f.search(o); len(found) > 0 {
				t.Errorf("%+v: %v", o, found)
			}
		}
		f.various(8)
	}
	elsewhere, err := keypath.ParsePrefix("/session/nosuch")
	f.Must(err)
	found, err := session.Search(ctx, f.Store.Store, none,
		mem.SearchOptions{Conditions: mem.Conditions{Prefix: elsewhere}})
	if err != nil || len(found) > 0 {
		t.Errorf("a session that is not there: %v %v", found, err)
	}
}
