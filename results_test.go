package mem_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

var update = flag.Bool("update", false, "write the goldens of testdata/rules")

// isGolden compares a text with testdata/rules/name, which -update writes.
func isGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "rules", name)
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v\n got %s\nwant %s", path, err, got, want)
	}
}

// allErrors are the errors of every kind, alone and as they come.
var allErrors = []error{
	nil, mem.ErrNotFound, mem.ErrCut, mem.ErrConflict, backend.ErrChanged, log.ErrLocked,
	backend.ErrStored, mem.ErrRemains, policy.ErrProvenance, policy.ErrSecret, policy.ErrReserved,
	policy.ErrPerson, policy.ErrUnattended, policy.ErrPinned, policy.ErrLongNote,
	policy.ErrTooLarge,
	backend.ErrTooLarge, mem.ErrFuture, mem.ErrInput, mem.ErrNoLayer, mem.ErrForeignConfig,
	site.ErrPath, site.ErrNoHome, fsck.ErrNoEdit, fsck.ErrNoLoss, fts.ErrQuery, keypath.ErrKey,
	jsontext.ErrJSON,
	filestore.ErrServed, log.ErrNoLater, log.ErrTime, backend.ErrSum, context.Canceled,
	context.DeadlineExceeded, fsck.ErrNoLog, disk.ErrIrregular, syscall.EROFS, fs.ErrPermission,
	syscall.ENOSPC, syscall.EMFILE, syscall.ENFILE, log.ErrNoLock, log.ErrNewer, backend.ErrDamaged,
	log.ErrEnvelope, log.ErrChecksum, log.ErrLineTooLong, log.ErrTorn, log.ErrWatermark,
	state.ErrCheckpoint, index.ErrEdited, index.ErrForeign, keypath.ErrPath, fts.ErrStale,
	io.ErrUnexpectedEOF, disk.ErrMoved, io.ErrShortWrite, io.ErrNoProgress, io.ErrClosedPipe,
	fs.ErrClosed, fs.ErrNotExist, fs.ErrExist, os.ErrDeadlineExceeded, errors.ErrUnsupported,

	errFault, &fs.PathError{Op: "open", Path: "/x/y", Err: errFault},
	&os.LinkError{Op: "link", Old: "a", New: "b", Err: errFault},
	os.NewSyscallError("sync", errFault), syscall.EIO,
	&fs.PathError{Op: "open", Path: "/x/" + log.File, Err: disk.ErrIrregular},
	&fs.PathError{Op: "open", Path: "/x/other", Err: disk.ErrIrregular},
	&fs.PathError{Op: "open", Path: "/x/" + log.File, Err: fs.ErrPermission},
	&mem.NotFoundError{Key: keyOf("/a")}, &mem.ConflictError{Key: keyOf("/a")},
	&mem.ConflictError{Key: keyOf("/a"), Why: "it is another agent's"},
	&mem.ConflictError{Key: keyOf("/a"), Newest: log.Record{Envelope: log.Envelope{Key: keyOf("/a"),
		TS: 7}}},
	&mem.ConflictError{Key: keyOf("/a"), Why: "written since", Newest: log.Record{
		Envelope: log.Envelope{Key: keyOf("/a"), TS: 7}}},
	&mem.LineError{Line: 3, Err: jsontext.ErrJSON},
	&mem.LineError{File: "f", Line: 3, Err: jsontext.ErrJSON},
	&mem.LineError{File: "f", Err: jsontext.ErrJSON},
	&mem.BatchError{Lines: []*mem.LineError{{Line: 1, Err: policy.ErrSecret}}},
	&mem.PartialError{Stored: 1, Total: 2, Err: log.ErrLocked},
	&backend.UnknownError{Stamps: []log.Stamp{7}, Err: errFault},
	&policy.FullError{ID: "s", Size: 2, Limit: 1}, &policy.PersonError{Why: "x"},
	errors.New("with " + testkit.Token), kinded("locked"), kinded("none"),
}

// kinded is an error of a kind that a package of another module names.
type kinded string

func (k kinded) Error() string { return "of kind " + string(k) }
func (k kinded) Kind() string  { return string(k) }

// The kind, the exit code, the message and the hint of each error.
func TestErrors(t *testing.T) {
	var text strings.Builder
	for _, err := range allErrors {
		message := ""
		if err != nil {
			message = mem.Message(err)
			if wrapped := fmt.Errorf("around: %w", err); mem.KindOf(wrapped) != mem.KindOf(err) {
				t.Errorf("%v is of another kind when wrapped", err)
			}
			doc, _ := mem.EncodeJSON(mem.FailureOf(err))
			fmt.Fprintf(&text, "%s\n", doc)
		}
		fmt.Fprintf(&text, "%T %s: %s, exit %d\n  %s\n", err, message, mem.KindOf(err),
			mem.KindOf(err).ExitCode(), mem.Hint(err))
	}
	for _, k := range mem.Kinds() {
		fmt.Fprintf(&text, "%s %d %s\n", k.Kind, k.Exit, k.Meaning)
	}
	isGolden(t, "errors.txt", text.String())
}

// The answers as programs get them.
func TestAnswers(t *testing.T) {
	at := log.StampOf(noon)
	rec := log.Record{Layer: "user", Envelope: log.Envelope{Key: keyOf("/a"), TS: at,
		Source: []byte(`"chat"`), Content: []byte(`{"type":"fact","text":"<é>","created_at":` +
			`"2026-02-20T10:00:00Z","superseded_by":"/b"}`)}}
	gone := log.Record{Envelope: log.Envelope{Key: keyOf("/b"), TS: at, Source: []byte(`"x"`),
		Content: []byte("null")}}
	rows := func(list ...any) mem.Versions {
		return mem.Versions{Count: len(list), Rows: func(yield func(log.Record, error) bool) {
			for _, item := range list {
				if rec, ok := item.(log.Record); ok && yield(rec, nil) {
					continue
				} else if err, ok := item.(error); ok {
					yield(log.Record{}, err)
				}
				return
			}
		}}
	}
	var doc strings.Builder
	show := func(v any) {
		text, err := mem.EncodeJSON(v)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&doc, "%s\n", text)
	}
	show(mem.MemoryOf(rec))
	show(mem.MemoryOf(log.Record{Envelope: log.Envelope{Key: keyOf("/b"), TS: at,
		Content: []byte("1")}}))
	show(mem.NewVersion(gone))
	if err := mem.WriteVersionList(&doc, rows(rec, gone)); err != nil {
		t.Error(err)
	}
	if err := mem.WriteVersionList(&doc, rows(rec, errFault)); err != errFault {
		t.Error(err)
	}
	doc.WriteByte('\n')
	if err := mem.WriteVersionList(failing{}, rows(rec)); err != errFault {
		t.Error(err)
	}
	show(mem.NewSearchResult([]mem.Found{
		{Record: rec, Score: 1.23456, Untrusted: true, Parts: []fts.Part{{Name: "n", What: "w",
			In:    "i",
			Value: 0.123456}}},
		{Record: rec, Factors: []mem.Factor{{Name: "f", Value: 0.98765}},
			Parts: []fts.Part{{Name: "n"}}},
	}, nil))
	show(mem.NewSearchResult(nil, []mem.NearTerm{{Word: "postgres", Count: 12}}))
	note := readout.Note{ID: "m-1", Text: "t", Tags: []string{"a"}, TS: at, Layer: "user"}
	show(mem.NewNoteList([]readout.Note{note, {ID: "m-2", TS: at, Untrusted: true,
		SupersededBy: "/b"}}))
	show(mem.NewNotePage(readout.NotePage{Entries: []readout.NoteEntry{{Note: note}}}))
	show(mem.NewDeleteReply(nil, nil))
	show(mem.NewDeleteReply([]mem.Outcome{{Key: keyOf("/a")}}, []keypath.Key{keyOf("/b")}))
	isGolden(t, "answers.txt", doc.String())
	if _, err := mem.EncodeJSON(func() {}); err == nil {
		t.Error("a function as JSON")
	}
	m := mem.MemoryOf(rec)
	if m.Timestamp() == at || (&mem.Memory{TS: 7}).Timestamp() != 7 {
		t.Error("the time of a memory")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFault }

// What the journal keeps of a source, and what it withholds.
func TestJournalLines(t *testing.T) {
	for source, want := range map[string]string{
		`"chat"`: "chat", `"` + strings.Repeat("é", 61) + `"`: strings.Repeat("é", 60) + "…",
		`"` + strings.Repeat("é", 60) + `"`: strings.Repeat("é", 60),
		`{"kind":"user","name":"me"}`:       "user me", `{"kind":"user"}`: "user",
		`{"name":"me"}`: "me",
		`{"kind":"user","name":"me","edited":{"verb":"touch"}}`: "user me, touch",
		`{"kind":"user","name":"me","edited":{"verb":""}}`:      "user me",
		`{"kind":"user","edited":{"x":"y","verb":"` + strings.Repeat("v", 21) + `"}}`: "user, " +
			strings.Repeat("v", 20) + "…",
		`{"kind":"user","edited":7}`: "user", ``: "", `{}`: "",
	} {
		if got := mem.SourceSummary([]byte(source)); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
	tick := noon
	kept := memstore.New(func() time.Time { return noon })
	s := mem.New(kept, mem.Options{Now: func() time.Time { return noon }, Clock: func() time.Time {
		tick = tick.Add(1500 * time.Microsecond)
		return tick
	}})
	set := func(key, text string, o mem.SetOptions) {
		s.Set(ctx, mem.Caller{}, write(key, text), o)
	}
	set("/a", "1", mem.SetOptions{})
	set("/a", "null", mem.SetOptions{})
	set("/a", `"`+testkit.Token+`"`, mem.SetOptions{})
	set("/"+testkit.Token, "1", mem.SetOptions{AllowSecrets: []string{"github-pat"}})
	set("/kb/"+strings.Repeat("é", 100), `1`, mem.SetOptions{})
	w := write("/b", "1")
	w.Source = []byte(`"` + testkit.Token + `"`)
	s.Set(ctx, mem.Caller{}, w, mem.SetOptions{AllowSecrets: []string{"github-pat"}})
	op := begun(t, s, mem.Caller{Command: backend.NewCommand()}, policy.Import)
	op.Done(0, nil)
	op.Failed(keypath.Key{}, errFault)
	several := begun(t, s, mem.Caller{}, policy.Import)
	_, err := several.UpdateAsOne(ctx, func(tx *mem.Tx) error {
		return tx.Put(checked(t, several, write("/x", "1")), checked(t, several, write("/y", "1")))
	})
	if err != nil {
		t.Error(err)
	}
	s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 100})
	s.SetSetting(ctx, mem.Caller{}, "rotate.lines", "7")
	s.SetSetting(ctx, mem.Caller{}, "rotate.lines", "7")
	s.SetSetting(ctx, mem.Caller{}, "no."+strings.Repeat("x", 70), "7")
	text, err := s.Journal(backend.OpsFile).Read(1 << 20)
	if err != nil {
		t.Error(err)
	}
	isGolden(t, "journal.txt", strings.ReplaceAll(string(text), opID(op), "ID"))
	journal := s.Journal(backend.OpsFile)
	for _, line := range []string{"no JSON\n", `{"ms":1}` + "\n", `{"command":"c"}` + "\n",
		`{"op":"x","error":"e","code":"io","ms":1.5}` + "\n", `{"op":"y","error":"e"}` + "\n"} {
		journal.Append([]byte(line), 1<<20)
	}
	ran, err := s.Journaled()
	last := ran[len(ran)-3:]
	if err != nil || last[0].Command != "c" || last[0].Op != "" || last[0].Code != mem.KindDone ||
		last[1].Code != mem.KindIO || last[2].Code != "" {
		t.Errorf("%+v, %v", last, err)
	}
}

func opID(op *mem.Operation) string { return op.Caller().Command.ID() }

// A batch of lines: long ones, blank ones, and one without an end.
func TestEachLine(t *testing.T) {
	long := strings.Repeat("x", policy.MaxBatchLine)
	var got []string
	err := mem.EachLine(strings.NewReader("\ufeffa\n\n  b \r\n"+long+"\n"+long+"y\nlast"),
		func(n int, line []byte, err error) {
			got = append(got, fmt.Sprint(n, len(line), errors.Is(err, policy.ErrTooLarge)))
		})
	want := []string{"1 1 false", "3 1 false", fmt.Sprint("4 ", len(long), " false"),
		fmt.Sprint("5 ", len(long), " true"), "6 4 false"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	for name, r := range map[string]io.Reader{"endless": io.LimitReader(zeros{}, 65<<20),
		"fails": io.MultiReader(strings.NewReader("a\nb"), failing{})} {
		n := 0
		err := mem.EachLine(r, func(int, []byte, error) { n++ })
		var line *mem.LineError
		if name == "endless" && (!errors.As(err, &line) || line.Line != 1 || n != 0 ||
			!errors.Is(err, policy.ErrTooLarge)) || name == "fails" && (err != errFault || n != 1) {
			t.Errorf("%s: %d lines, %v", name, n, err)
		}
	}
	if got := mem.ContextReader(context.Background(), zeros{}); got != io.Reader(zeros{}) {
		t.Error("a context that does not end")
	}
	canceled, cancel := context.WithCancelCause(context.Background())
	r := mem.ContextReader(canceled, strings.NewReader("abc"))
	buf := make([]byte, 2)
	n, err := r.Read(buf)
	more, err2 := r.Read(buf)
	if n != 2 || err != nil || more != 1 || err2 != nil || buf[0] != 'c' {
		t.Errorf("%d %v, %d %v", n, err, more, err2)
	}
	if _, err := r.Read(buf); err != io.EOF {
		t.Error(err)
	}
	r = mem.ContextReader(canceled, never{})
	cancel(errFault)
	if _, err := r.Read(buf); err != errFault {
		t.Error(err)
	}
	if _, err := r.Read(buf); err != errFault {
		t.Errorf("again: %v", err)
	}
}

func (failing) Read([]byte) (int, error) { return 0, errFault }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

type never struct{}

func (never) Read([]byte) (int, error) { select {} }

// The keys of a list, by what is asked and by whom.
func TestFilters(t *testing.T) {
	f := newStore(t)
	each(f, "/a", "1", "/gone", `{"expired_at":"2026-02-22T12:00:00Z"}`,
		"/agent/ada/core/"+anID, "1", "/session/s", open)
	f.Import("/event/s/evt_"+anID, "1")
	f.Import("/untrusted/kb/a", "1")
	f.Must(stored(begun(t, f.Store, aClient, policy.Propose), write("/untrusted/proposal/p-1",
		"1")))
	const ada, event = "/agent/ada/core/" + anID, "/event/s/evt_" + anID
	left := 0
	for name, c := range map[string]struct {
		filter mem.Filter
		agent  string
		want   string
	}{
		"all": {mem.Filter{}, "", "/a /session/s " + event + " /untrusted/kb/a"},
		"expired": {mem.Filter{Expired: true}, "", "/a /gone /session/s " + event +
			" /untrusted/kb/a"},
		"trusted": {mem.Filter{Trusted: true}, "", "/a /session/s " + event},
		"browsed": {mem.Filter{Browse: true}, "", "/a /session/s /untrusted/kb/a"},
		"everybody": {mem.Filter{All: true}, "", "/a /session/s " + event + " /untrusted/kb/a " +
			ada},
		"of ada": {mem.Filter{}, "ada", "/a /session/s " + event + " /untrusted/kb/a " + ada},
		"left out": {mem.Filter{LeftOut: &left}, "", "/a /session/s " + event +
			" /untrusted/kb/a"},
		"proposals": {mem.Filter{Prefix: prefixOf("/untrusted/proposal")}, "",
			"/untrusted/proposal/p-1"},
		"events": {mem.Filter{Prefix: prefixOf("/event"), Browse: true}, "", event},
		"trusted, everybody": {mem.Filter{All: true, Trusted: true}, "",
			"/a /session/s " + event + " " + ada},
	} {
		var keys []string
		f.Must(f.List(ctx, mem.Caller{Agent: c.agent}, c.filter, func(rec log.Record) error {
			keys = append(keys, rec.Key.String())
			return nil
		}))
		if !sameKeys(strings.Join(keys, " "), c.want) {
			t.Errorf("%s: %q", name, keys)
		}
	}
	if left != 1 {
		t.Errorf("%d left out", left)
	}
	if err := f.List(ctx, mem.Caller{}, mem.Filter{},
		func(log.Record) error { return errFault }); err !=
		errFault {
		t.Error(err)
	}
	if err := f.Everything(ctx, func(log.Record) error { return errFault }); err != errFault {
		t.Error(err)
	}
	n := 0
	for _, err := range f.HistoryBelow(ctx, prefixOf("/a")) {
		if n++; err != nil {
			t.Error(err)
		}
	}
	for range f.HistoryBelow(ctx, keypath.Prefix{}) {
		n++
		break
	}
	for range f.Reader(mem.Caller{}).ScanBelow(ctx, prefixOf("/gone")) {
		n++
	}
	if n != 3 {
		t.Errorf("%d", n)
	}
	for key, want := range map[string]error{"/none": mem.ErrNotFound, ada: mem.ErrNotFound,
		"/a": nil} {
		if _, err := f.History(ctx, mem.Caller{}, keyOf(key)); !errors.Is(err, want) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := f.Get(ctx, mem.Caller{}, keyOf("/gone"), false); !errors.Is(err, mem.ErrNotFound) {
		t.Error(err)
	}
	if _, err := f.Get(ctx, mem.Caller{Now: log.StampOf(noon)}, keyOf("/gone"), false); err != nil {
		t.Errorf("in time: %v", err)
	}
	var doc bytes.Buffer
	st, err := f.Stat(ctx, mem.Caller{})
	f.Must(err)
	text, _ := mem.EncodeJSON(st)
	fmt.Fprintf(&doc, "%s\n", text)
	st, err = newStore(t).Stat(ctx, mem.Caller{})
	f.Must(err)
	text, _ = mem.EncodeJSON(st)
	fmt.Fprintf(&doc, "%s\n", text)
	for i := range 12 {
		f.Put(fmt.Sprintf("/n%d/a", i), "1")
		f.Put(fmt.Sprintf("/n%d/b", i%3), "1")
	}
	st, err = f.Stat(ctx, mem.Caller{Agent: "ada"})
	f.Must(err)
	text, _ = mem.EncodeJSON(st)
	fmt.Fprintf(&doc, "%s\n", text)
	isGolden(t, "stat.txt", doc.String())
}
