package note_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/log"
)

// Whatever becomes of a note, of the state and of the checkpoint, its id is never another's.
func TestIDsNeverReturn(t *testing.T) {
	f := newFiles(t)
	f.Configure(`{"rotate":{"lines":3,"bytes":100000}}`)
	cache := filepath.Join(f.Root, "cache")
	last := 0
	next := func(after string) {
		t.Helper()
		id := f.note("after " + after)
		var n int
		if _, err := fmt.Sscanf(id, "m-%d", &n); err != nil || n <= last {
			t.Errorf("after %s: %s, and there was m-%d", after, id, last)
		}
		last = n
		f.forget(id)
	}
	compact := func() {
		t.Helper()
		f.Clock = f.Clock.Add(time.Minute)
		_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		f.Must(err)
	}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"nothing", func() {}},
		{"a compaction", compact},
		{"the cache was deleted", func() { f.Must(os.RemoveAll(cache)) }},
		{"both", func() { compact(); f.Must(os.RemoveAll(cache)) }},
		{"a rotation, and all derived deleted", func() {
			for i := range 9 {
				f.Put("/filler", fmt.Sprint(i))
			}
			compact()
			for _, name := range []string{
				"cache", "index", "state.jsonl", "checkpoint.json", "watermark",
			} {
				f.Must(os.RemoveAll(filepath.Join(f.Root, name)))
			}
		}},
		{"the checkpoint is gone", func() { f.Must(os.Remove(f.File("checkpoint.json"))) }},
		{"the checkpoint knows no numbers", func() { compact(); f.reseal("checkpoint.json", `,"numbers":{"note":`) }},
		{"a compaction after that", compact},
		{"a log merged from two", func() {
			f.prepend("/note/user/m-30")
			f.Must(copyOver(f.File(log.File)))
			last = 30
		}},
		{"a log merged in its place", func() { f.prepend("/note/user/m-60"); last = 60 }},
		{"the log is a copy", func() { f.Must(copyOver(filepath.Join(f.Root, log.File))) }},
		{"the log is a copy, and no cache", func() {
			f.Must(copyOver(filepath.Join(f.Root, log.File)))
			f.Must(os.RemoveAll(cache))
		}},
		{"a repair", func() {
			_, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
			f.Must(err)
		}},
		{"a higher one by hand, and its end", func() {
			f.Import("/note/session/m-70", `{"text":"x"}`)
			f.Put("/note/session/m-70", `null`)
			last = 70
		}},
		{"a compaction after that too", func() { compact(); f.Must(os.RemoveAll(cache)) }},
		{"a number too long to be an id", func() { f.Put("/note/user/m-9999999999999999", `{"text":"x"}`) }},
		{"a number far above all others", func() { f.Import("/note/user/m-999999999999999", `{"text":"x"}`) }},
		{"a compaction with it", func() { compact(); f.Must(os.RemoveAll(cache)) }},
	} {
		c.do()
		next(c.name)
	}
	if archives, _ := filepath.Glob(filepath.Join(f.Root, "archive", "*")); len(archives) == 0 {
		t.Error("nothing was archived")
	}
}

// reseal takes a member that begins so, with an object as its value, out of a sealed file.
func (f *fixture) reseal(name, member string) {
	f.T.Helper()
	path := filepath.Join(f.Root, name)
	text, err := os.ReadFile(path)
	f.Must(err)
	before, after, found := strings.Cut(string(text), member)
	if !found {
		f.T.Fatalf("%s has no %s", name, member)
	}
	_, after, _ = strings.Cut(after, "}")
	object, _, _ := strings.Cut(before+after, `,"checksum"`)
	f.Must(os.WriteFile(path, append(log.Seal([]byte(object+"}")), '\n'), 0o600))
}

// prepend brings an older tombstone into the log, without a checksum, as a merge does.
func (f *fixture) prepend(key string) {
	f.T.Helper()
	path := filepath.Join(f.Root, log.File)
	text, err := os.ReadFile(path)
	f.Must(err)
	line := fmt.Sprintf(
		`{"key":%q,"ts":"2026-02-20T10:00:00.000000Z","valid":false,"source":"merged","content":null}`+"\n",
		key,
	)
	f.Must(os.WriteFile(path, append([]byte(line), text...), 0o600))
}

// copyOver gives a file another inode.
func copyOver(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".copy", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".copy", path)
}

// A damaged line still shows its key, and a repair may bring its note back.
func TestDamagedNotesKeepTheirIDs(t *testing.T) {
	f := newFiles(t)
	f.note("first")
	f.note("second")
	path := filepath.Join(f.Root, log.File)
	text, err := os.ReadFile(path)
	f.Must(err)
	f.Must(os.WriteFile(path, []byte(strings.Replace(string(text), "second", "secund", 1)), 0o600))
	f.Must(os.RemoveAll(filepath.Join(f.Root, "cache")))
	if id := f.note("third"); id != "m-3" {
		t.Errorf("%s follows m-1 and a damaged m-2", id)
	}
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.Must(err)
	if got := f.noteIDs("", ""); got != "m-3 m-2 m-1" && got != "m-3 m-1" {
		t.Errorf("after the repair: %s", got)
	}
}

// Two notes of one id, as earlier builds let somebody make by hand, are told apart by their keys.
func TestTwoNotesOfOneID(t *testing.T) {
	f := newFiles(t)
	f.Import("/note/user/m-1", `{"text":"by hand"}`)
	f.Import("/note/workspace/m-1", `{"text":"noted"}`)
	var twice *note.AmbiguousError
	err := f.tryForget("m-1")
	if !errors.As(err, &twice) || mem.KindOf(err) != mem.KindInput ||
		err.Error() != "m-1: it may be one of /note/user/m-1, /note/workspace/m-1" ||
		mem.Hint(err) != "give the key in place of the id, like /note/user/m-1" {
		t.Errorf("%v (%s)", err, mem.Hint(err))
	}
	if got := f.noteIDs("", ""); got != "m-1 m-1" {
		t.Errorf("left: %s", got)
	}
	f.forget("/note/user/m-1")
	if err := f.tryForget("m-1"); !errors.As(err, &twice) { // the deleted one had the id, too
		t.Error(err)
	}
	f.forget("/note/workspace/m-1")
	if got := f.noteIDs("", ""); got != "" {
		t.Errorf("left: %s", got)
	}
}

// A note whose index file cannot be written is stored, and that is not all that is said of it.
func TestNoteWhoseIndexCannotFollow(t *testing.T) {
	f := newFiles(t)
	f.note("the first")
	place := f.File("index/note/user")
	f.Must(os.WriteFile(place, []byte("in the way"), 0o600))
	id, err := f.add("the second", note.Options{Scope: "user"})
	if !errors.Is(err, backend.ErrStored) || mem.KindOf(err) != mem.KindIO || id != "m-2" {
		t.Errorf("%s, %v", id, err)
	}
	if got := f.noteIDs("", ""); got != "m-2 m-1" {
		t.Errorf("stored: %s", got)
	}
	f.Must(os.Remove(place))
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.Must(err)
}

// A name means what a block or a list shows by it.
func TestResolve(t *testing.T) { onEach(t, testResolve) }

func testResolve(t *testing.T, f *fixture) {
	f.Put("/project/db", "1")
	f.Put("/m-3", "1")
	f.Put("/m-2", "1")
	f.Put("/m-9", "1")
	f.Import("/ kb/x", "1")
	f.note("one")
	f.note("two")
	f.note("three")
	f.forget("m-2")
	f.Import("/note/user/m-4", `{"text":"x"}`)
	f.Import("/note/session/m-4", `{"text":"y"}`)
	for name, want := range map[string]string{
		"/project/db":        "/project/db",
		"project/db":         "/project/db",
		`"/\u0020kb/x"`:      "/ kb/x",
		"never/was":          "/never/was",
		"m-1":                "/note/workspace/m-1",
		"m-2":                "/note/workspace/m-2", // forgotten; its history is there
		"note/workspace/m-3": "/note/workspace/m-3",
		"/m-3":               "/m-3",
		"m-3":                "/note/workspace/m-3",
		"m-9":                "/m-9", // no note ever had the id
		"m-4":                "m-4: it may be one of /note/session/m-4, /note/user/m-4",
		"m-5":                "m-5: no such note",
		"m-05":               "/m-05",
		"":                   `key: "": empty key at byte 0`,
		"../x":               `key: "/../x": ".." segment at byte 1`,
		`"/x`:                `key: "\"/x": not a JSON string at byte 0`,
	} {
		key, err := note.Resolve(ctx, f.Store.Store, mem.Caller{}, name)
		got := key.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// An id that another store gave a note before a move names the note of today by its letters.
func TestRenumbered(t *testing.T) { onEach(t, testRenumbered) }

func testRenumbered(t *testing.T, f *fixture) {
	f.Import("/note/workspace/m-17-uhzyyc", `{"text":"x"}`)
	const unknown = "mem notes shows the newest, with their ids"
	for name, want := range map[string]string{
		"m-1-uhzyyc": "did you mean m-17-uhzyyc?", "m-1-uhzyyd": unknown, "m-1": unknown,
	} {
		_, err := note.Resolve(ctx, f.Store.Store, mem.Caller{}, name)
		if got := mem.Hint(err); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A short id means a note where no other note, live or deleted, ever had its number.
func TestShortIDs(t *testing.T) { onEach(t, testShortIDs) }

func testShortIDs(t *testing.T, f *fixture) {
	f.note("plain") // m-1
	f.note("gone")  // m-2
	f.note("and back")
	f.forget("m-2")
	f.forget("m-3")
	for _, id := range []string{"workspace/m-1-abcd", "workspace/m-2-abcd", "workspace/m-4-abcdef",
		"user/u-4-abcd", "session/m-5-abcd", "workspace/m-5-wxyzab", "workspace/m-6-abcdef",
		"user/u-7-abcd", "user/u-7-wxyzab", "user/m-8-abcd"} {
		f.Import("/note/"+id, `{"text":"x"}`)
	}
	f.forget("m-6-abcdef")
	before := f.noteIDs("", "")
	for range 2 {
		for name, want := range map[string]string{
			"m-1":      "m-1: it may be one of /note/workspace/m-1, /note/workspace/m-1-abcd",
			"m-1-abcd": "/note/workspace/m-1-abcd",
			"m-2":      "m-2: it may be one of /note/workspace/m-2, /note/workspace/m-2-abcd",
			"m-3":      "/note/workspace/m-3", // deleted
			"m-4":      "/note/workspace/m-4-abcdef",
			"u-4":      "/note/user/u-4-abcd",
			"m-5":      "m-5: it may be one of /note/session/m-5-abcd, /note/workspace/m-5-wxyzab",
			"m-6":      "/note/workspace/m-6-abcdef", // deleted
			"u-7":      "u-7: it may be one of /note/user/u-7-abcd, /note/user/u-7-wxyzab",
			"m-8":      "/note/user/m-8-abcd",
			"u-8":      "u-8: no such note", "m-9": "m-9: no such note", "m-4-": "/m-4-",
			"m-4-wxyzab": "m-4-wxyzab: no such note", "m-4-abc": "/m-4-abc",
			"m4":                 "m4: no such note",
			"note/workspace/m-4": "/note/workspace/m-4", // a key is no short form
		} {
			key, err := note.Resolve(ctx, f.Store.Store, mem.Caller{}, name)
			got := key.String()
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%q: %s, want %s", name, got, want)
			}
		}
		_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{}) // and again from the sidecar
		f.Must(err)
	}
	_, err := note.Resolve(ctx, f.Store.Store, mem.Caller{}, "m4")
	if mem.Hint(err) != "did you mean m-4?" {
		t.Errorf("m4: %s", mem.Hint(err))
	}
	for _, id := range []string{"m-1", "m-2", "m-5", "u-7"} {
		if err := f.tryForget(id); !errors.Is(err, note.ErrAmbiguous) ||
			mem.KindOf(err) != mem.KindInput {
			t.Errorf("%s: %v", id, err)
		}
	}
	if got := f.noteIDs("", ""); got != before {
		t.Errorf("left: %s of %s", got, before)
	}
	f.forget("m-5-wxyzab")
	if err := f.tryForget("m-5"); !errors.Is(err, note.ErrAmbiguous) {
		t.Errorf("m-5, of which one is deleted: %v", err)
	}
	for _, id := range []string{"m-4", "u-4", "m-5-abcd"} {
		f.forget(id)
	}
	if err := f.tryForget("m-4"); !errors.Is(err, note.ErrID) {
		t.Errorf("m-4 a second time: %v", err)
	}
	const want = "m-8-abcd u-7-wxyzab u-7-abcd m-2-abcd m-1-abcd m-1"
	if got := f.noteIDs("", ""); !sameWords(got, want) {
		t.Errorf("left: %s, want %s", got, want)
	}
}

func sameWords(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// In a layer each note has letters of its own, in every scope; in any other store none has.
func TestIDsOfLayers(t *testing.T) {
	user, project := note.IDsOf(&site.Site{Layer: site.User}),
		note.IDsOf(&site.Site{Layer: site.Project, Root: t.TempDir()})
	const letters = `-[a-z]{6}$`
	seen := map[string]bool{}
	for _, c := range []struct{ got, want string }{
		{user.ID("user", 3), "^u-3"}, {user.ID("user", 3), "^u-3"},
		{user.ID("workspace", 3), "^m-3"},
		{project.ID("user", 4), "^m-4"}, {project.ID("session", 4), "^m-4"},
	} {
		matches := regexp.MustCompile(c.want + letters).MatchString(c.got)
		if !matches || !note.IsID(c.got) || seen[c.got] {
			t.Errorf("%s, want %s", c.got, c.want+letters)
		}
		seen[c.got] = true
	}
	for _, one := range []*site.Site{
		{Root: t.TempDir()}, {Layer: site.Project, Remote: "https://mem.example"},
	} {
		if got := note.IDsOf(one).ID("user", 3); got != "m-3" {
			t.Errorf("%+v: %s", one, got)
		}
	}
	f := newFiles(t)
	_, _, o, err := note.Place(ctx, layers.Of(f.Store.Store), mem.Caller{}, note.Options{})
	f.Must(err)
	if o.IDs.Draw != nil {
		t.Errorf("placed with %+v", o.IDs)
	}
	draw := func(letters string) note.IDs {
		return note.IDs{User: true, Draw: func() string { return letters }}
	}
	for range 2 { // the counter goes on
		_, err = f.add("one "+fmt.Sprint(f.Clock), note.Options{IDs: draw("abcdef"), Scope: "user"})
		f.Must(err)
		_, err = f.add("two "+fmt.Sprint(f.Clock), note.Options{IDs: draw("ghijkl")})
		f.Must(err)
		f.Clock = f.Clock.Add(time.Minute)
	}
	const want = "m-4-ghijkl u-3-abcdef m-2-ghijkl u-1-abcdef"
	if got := f.noteIDs("", ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
