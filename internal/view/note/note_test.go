package note_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

var ctx = context.Background()

// fixture is a store under test with what is asked of notes.
type fixture struct{ *storetest.Store }

// onEach runs a test on a store of files and on one in memory.
func onEach(t *testing.T, test func(*testing.T, *fixture)) {
	t.Parallel()
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) { test(t, &fixture{s}) })
}

func newFiles(t *testing.T) *fixture {
	t.Parallel()
	return &fixture{storetest.NewStore(t, storetest.Files)}
}

func (f *fixture) add(text string, o note.Options) (string, error) {
	added, err := note.Add(ctx, f.Store.Store, mem.Caller{}, text, o)
	return added.ID, err
}

func (f *fixture) find(q note.Filter) ([]readout.Note, int, error) {
	return note.Find(ctx, f.Store.Store, mem.Caller{}, q)
}

func (f *fixture) read(o note.ReadOptions) (readout.NotePage, error) {
	return note.Read(ctx, f.Store.Store, mem.Caller{}, o)
}

func (f *fixture) tryForget(id string) error {
	return note.Forget(ctx, f.Store.Store, mem.Caller{}, id, nil)
}

func (f *fixture) note(text string, tags ...string) string {
	f.T.Helper()
	id, err := f.add(text, note.Options{Tags: tags})
	f.Must(err)
	return id
}

func (f *fixture) forget(id string) {
	f.T.Helper()
	f.Must(f.tryForget(id))
}

// noteIDs returns the ids that a search finds, newest first.
func (f *fixture) noteIDs(query, tag string) string {
	f.T.Helper()
	found, _, err := f.find(note.Filter{Query: query, Tag: tag})
	f.Must(err)
	var ids []string
	for _, n := range found {
		ids = append(ids, n.ID)
	}
	return strings.Join(ids, " ")
}

func TestNotesAreEnvelopes(t *testing.T) { onEach(t, testNotesAreEnvelopes) }

func testNotesAreEnvelopes(t *testing.T, f *fixture) {
	id, err := f.add(
		"用户 likes \"tabs\" <b>\n",
		note.Options{Tags: []string{"a b", "c"}, Scope: "user"},
	)
	f.Must(err)
	if want := `{"type":"note","text":"用户 likes \"tabs\" <b>\n","tags":["a b","c"]}`; id != "m-1" ||
		f.Content("/note/user/m-1") != want {
		t.Errorf("%s: %s", id, f.Content("/note/user/m-1"))
	}
	if id := f.note("plain"); id != "m-2" ||
		f.Content("/note/workspace/m-2") != `{"type":"note","text":"plain"}` {
		t.Errorf("%s: %s", id, f.All())
	}
	rec, err := f.Get(ctx, mem.Caller{}, keypath.MustParse("/note/workspace/m-2"), false)
	f.Must(err)
	if got := mem.SourceSummary(rec.Source); got != "user mem note" {
		t.Errorf("source %s", rec.Source)
	}
	_, err = f.add("given", note.Options{Source: []byte(`"chat"`), Scope: "session"})
	f.Must(err)
	third := keypath.MustParse("/note/session/m-3")
	if rec, err = f.Get(ctx, mem.Caller{}, third, false); err != nil ||
		string(rec.Source) != `"chat"` {
		t.Errorf("%v: source %s", err, rec.Source)
	}
}

func TestNotesThatAreRefused(t *testing.T) { onEach(t, testNotesThatAreRefused) }

func testNotesThatAreRefused(t *testing.T, f *fixture) {
	for name, c := range map[string]struct {
		text string
		o    note.Options
		want error
		says string
	}{
		"empty": {
			"", note.Options{}, mem.ErrInput,
			"text: bad input: it is empty, want 1 to 500 characters",
		},
		"501 characters": {
			strings.Repeat("牙", 501), note.Options{}, policy.ErrTooLarge,
			"text: too large: 501 characters, at most 500",
		},
		"six tags": {
			"x", note.Options{Tags: strings.Split("abcdef", "")}, policy.ErrTooLarge,
			"tags: too large: 6 tags, at most 5",
		},
		"unknown scope": {
			"x", note.Options{Scope: "User"}, mem.ErrInput,
			`scope "User": bad input: want user, workspace or session`,
		},
		"invalid UTF-8": {
			"\xff", note.Options{}, jsontext.ErrJSON,
			"content: JSON: invalid UTF-8 at byte 23",
		},
		"source a number": {
			"x", note.Options{Source: []byte("7")}, mem.ErrInput,
			"source: bad input: want a JSON object or string, not 7",
		},
		"source says none": {
			"x", note.Options{Source: []byte(`{}`)}, policy.ErrProvenance,
			"source: it is blank, and every write needs a source",
		},
	} {
		if id, err := f.add(c.text, c.o); !errors.Is(err, c.want) || err.Error() != c.says ||
			id != "" {
			t.Errorf("%s: %q, %v, want %s", name, id, err, c.says)
		}
	}
	if f.Made() {
		t.Error("a refused note made a store")
	}
	for _, text := range []string{"x", " ", strings.Repeat("牙", 500)} {
		if _, err := f.add(text, note.Options{Tags: strings.Split("abcde", "")}); err != nil {
			t.Errorf("%.10s: %v", text, err)
		}
	}
}

func TestNoteSearch(t *testing.T) { onEach(t, testNoteSearch) }

func testNoteSearch(t *testing.T, f *fixture) {
	f.note("User prefers tabs", "Preference")
	f.note("The Database is PostgreSQL", "infra", "db")
	f.note("Database backups run at NOON, ÜBERALL", "infra")
	f.Put("/note/other", `{"text":"no note: database"}`)
	f.Put("/note/workspace/m-07", `{"text":"no id: database"}`)
	f.Put("/note/team/m-7", `{"text":"no scope: database"}`)
	f.Put("/note/user/m-9/x", `{"text":"too deep: database"}`)
	f.Import("/note/workspace/m-8", `{"summary":"no text: database"}`)
	f.Put("/user/db", `{"text":"elsewhere: database"}`)
	f.Clock = f.Clock.Add(time.Second)
	f.Import("/note/user/m-6", `{"text":"database: set by hand","expired_at":"2026-02-22T12:30:00Z"}`)
	const all = "m-6 m-3 m-2 m-1"
	for _, c := range [][3]string{
		{"", "", all}, {"DATABASE", "", "m-6 m-3 m-2"},
		{"atabase", "infra", "m-3 m-2"}, {"", "INFRA", "m-3 m-2"}, {"", "inf", ""},
		{"database", "db", "m-2"}, {"infra", "", ""}, {"überall", "", "m-3"}, {"tabs", "infra", ""},
		{"preference", "preference", ""}, {"by hand", "", "m-6"},
		// Every word of the query, in any order.
		{"noon database", "", "m-3"}, {" hand  SET ", "", "m-6"}, {"database tabs", "", ""},
		{" ", "", all},
	} {
		if got := f.noteIDs(c[0], c[1]); got != c[2] {
			t.Errorf("query %q, tag %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
	f.Clock = f.Clock.Add(time.Hour)
	if got := f.noteIDs("", ""); got != "m-3 m-2 m-1" {
		t.Errorf("after its time: %q", got)
	}
	for i := range 30 {
		f.note(fmt.Sprint("filler ", i))
	}
	found, total, err := f.find(note.Filter{Query: "filler"})
	f.Must(err)
	if len(found) != 20 || total != 30 || found[0].ID != "m-38" || found[19].ID != "m-19" {
		t.Errorf("%d of %d, %s to %s", len(found), total, found[0].ID, found[len(found)-1].ID)
	}
}

func TestForget(t *testing.T) { onEach(t, testForget) }

func testForget(t *testing.T, f *fixture) {
	if err := f.tryForget("m-1"); !errors.Is(err, mem.ErrNotFound) || f.Made() {
		t.Errorf("without a store: %v, it exists: %v", err, f.Made())
	}
	f.note("one")
	f.note("two")
	f.forget("m-1")
	if got := f.noteIDs("", ""); got != "m-2" {
		t.Errorf("left: %s", got)
	}
	var missing *note.UnknownError
	if err := f.tryForget("m-1"); !errors.As(err, &missing) || missing.ID != "m-1" ||
		!errors.Is(err, mem.ErrNotFound) {
		t.Errorf("again: %v", err)
	}
	for _, id := range []string{
		"", "m-", "m-0", "m-01", "m--1", "m-+1", "M-1", "1", "m-1 ", "m-1/x", "m-1234567890123456",
		"/note/user/m-01", "/note/elsewhere/m-1", "/m-1", "/a/m-1",
	} {
		if err := f.tryForget(id); !errors.Is(err, mem.ErrInput) {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, key := range []string{"/note/workspace/m-2", "note/workspace/m-3"} {
		f.note("to go by its key " + key)
		f.forget(key)
	}
	if got := f.noteIDs("", ""); got != "m-4" {
		t.Errorf("left: %s", got)
	}
	versions, err := f.History(ctx, mem.Caller{}, keypath.MustParse("/note/workspace/m-1"))
	f.Must(err)
	for newest, err := range versions.Rows {
		f.Must(err)
		if versions.Count != 2 || mem.SourceSummary(newest.Source) != "user mem forget" {
			t.Errorf("%d versions, the newest %s", versions.Count, newest.Line)
		}
		break
	}
}

// The file never holds more than the limit, the oldest go first and in the same append, and a
// lowered limit takes the rest.
func TestOldestNotesMakeRoom(t *testing.T) { onEach(t, testOldestNotesMakeRoom) }

func testOldestNotesMakeRoom(t *testing.T, f *fixture) {
	f.Configure(`{"memory":{"max_total":3}}`)
	for i := range 5 {
		f.note(fmt.Sprint("fact ", i))
	}
	if got := f.noteIDs("", ""); got != "m-5 m-4 m-3" {
		t.Errorf("%s", got)
	}
	// The oldest, not the lowest: m-3 was written again.
	f.Put("/note/workspace/m-3", `{"text":"again"}`)
	f.note("one more")
	if got := f.noteIDs("", ""); got != "m-6 m-3 m-5" {
		t.Errorf("%s", got)
	}
	f.Configure(`{"memory":{"max_total":1}}`)
	f.note("the last")
	if got := f.noteIDs("", ""); got != "m-7" {
		t.Errorf("%s", got)
	}
	lines := strings.Split(strings.TrimSpace(f.Logged()), "\n")
	var order []string
	for _, line := range lines[len(lines)-4:] {
		e, err := log.Decode([]byte(line))
		f.Must(err)
		order = append(order, e.Key.String()+string(e.Content))
	}
	want := []string{
		"/note/workspace/m-5null",
		"/note/workspace/m-3null",
		"/note/workspace/m-6null",
		`/note/workspace/m-7{"type":"note","text":"the last"}`,
	}
	if !slices.Equal(order, want) {
		t.Errorf("%q, want %q", order, want)
	}
}

func TestFiveHundredNotes(t *testing.T) { onEach(t, testFiveHundredNotes) }

func testFiveHundredNotes(t *testing.T, f *fixture) {
	var batch strings.Builder
	for i := 1; i <= 500; i++ {
		fmt.Fprintf(
			&batch,
			`{"key":"/note/workspace/m-%d","ts":%q,"content":{"type":"note","text":"fact"}}`+"\n",
			i, log.StampOf(f.Clock)+log.Stamp(i),
		)
	}
	_, err := f.SetAll(
		ctx,
		mem.Caller{},
		strings.NewReader(batch.String()),
		mem.BatchOptions{Source: []byte(`"t"`)},
	)
	f.Must(err)
	_, err = f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	f.Must(err)
	if id := f.note("one more"); id != "m-501" {
		t.Errorf("%s", id)
	}
	_, total, err := f.find(note.Filter{})
	f.Must(err)
	if total != 500 || f.Content("/note/workspace/m-1") != "(none)" ||
		f.Content("/note/workspace/m-2") == "(none)" {
		t.Errorf("%d live", total)
	}
}

// BenchmarkNote is one note where as many are live as may be: the oldest gets its tombstone in the
// same append.
func BenchmarkNote(b *testing.B) {
	s, err := mem.Open(b.TempDir(), mem.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	add := func(text string) {
		if _, err := note.Add(ctx, s, mem.Caller{}, text, note.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range settings.Default().Memory.MaxTotal {
		add(fmt.Sprint("one of five hundred facts, number ", i))
	}
	if _, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		add("one more than there may be")
	}
}

// Goroutines of one store, too, never get one id twice.
func TestNotesOfManyGoroutines(t *testing.T) { onEach(t, testNotesOfManyGoroutines) }

func testNotesOfManyGoroutines(t *testing.T, f *fixture) {
	ids := make([]string, 48)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			var err error
			o := note.Options{Scope: note.Scopes[i%3]}
			if ids[i], err = f.add(fmt.Sprint("fact ", i), o); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	slices.Sort(ids)
	if got := len(slices.Compact(ids)); got != len(ids) {
		t.Errorf("%d ids for %d notes", got, len(ids))
	}
	if st, err := f.Stat(ctx, mem.Caller{}); err != nil || st.Live != len(ids) {
		t.Errorf("%d live, %v", st.Live, err)
	}
}
