package transfer_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// lettered is how notes are called in a layer.
var lettered = note.IDs{User: true, Draw: func() string { return "qqqqqq" }}

// plainNotes are those of a store of before: u-1 was edited and replaced by u-2, and u-3 is
// deleted.
func plainNotes() []log.Envelope {
	return []log.Envelope{
		line("/note/user/u-1", `{"type":"note","text":"port 1"}`, byUser, "2026-02-01T10:00:00Z"),
		line("/note/user/u-1", `{"type":"note","text":"port 2"}`, byUser, "2026-02-02T10:00:00Z"),
		line("/note/user/u-2", `{"type":"note","text":"port 3"}`, byUser, "2026-02-03T10:00:00Z"),
		line("/note/user/u-1", `{"type":"note","text":"port 2","superseded_by":"/note/user/u-2"}`,
			byUser, "2026-02-03T10:00:01Z"),
		line("/note/user/u-3", `{"type":"note","text":"gone"}`, byUser, "2026-02-04T10:00:00Z"),
		line("/note/user/u-3", `null`, byUser, "2026-02-05T10:00:00Z"),
		line("/y", `{"text":"see","references":["/note/user/u-2"]}`, byUser, "2026-02-06T10:00:00Z"),
	}
}

// letteredKey returns the key that a note gets.
func letteredKey(t *testing.T, id string) keypath.Key {
	t.Helper()
	var versions []log.Envelope
	for _, e := range plainNotes() {
		if strings.HasSuffix(e.Key.String(), "/"+id) {
			versions = append(versions, e)
		}
	}
	key, err := note.Letter(versions)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (f *fixture) hasPlainNotesAs(t *testing.T) {
	t.Helper()
	one, two := letteredKey(t, "u-1"), letteredKey(t, "u-2")
	const text = `{"type":"note","text":"port 2","superseded_by":"`
	if got := f.Content(one.String()); got != text+two.String()+`"}` {
		t.Errorf("%s: %s", one, got)
	}
	if got := f.Content("/y"); got != `{"text":"see","references":["`+two.String()+`"]}` {
		t.Errorf("/y: %s", got)
	}
	for _, id := range []string{"u-1", "u-2", "u-3"} {
		if got := f.Content("/note/user/" + id); got != "(none)" {
			t.Errorf("%s: %s", id, got)
		}
	}
	if got := f.Content(letteredKey(t, "u-3").String()); got != "(none)" {
		t.Errorf("a deleted note is live: %s", got)
	}
}

// A note with a plain id that an import brings into a layer gets the letters of its first version,
// so another import meets it, and so does the mark of a purge.
func TestImportedNotesGetLetters(t *testing.T) {
	var text bytes.Buffer
	for _, e := range plainNotes() {
		text.Write(append(e.Line(), '\n'))
	}
	onEach(t, func(t *testing.T, f *fixture) {
		o := transfer.ImportOptions{IDs: lettered, Mine: true}
		run := func() transfer.ImportReport {
			rep, err := f.imports(transfer.Incoming{Stream: bytes.NewReader(text.Bytes())}, o)
			f.Must(err)
			return rep
		}
		rep := run()
		f.hasPlainNotesAs(t)
		if rep.New != 4 || len(rep.Renamed) != 3 {
			t.Errorf("%+v", rep)
		}
		if rep = run(); rep.New+rep.Changed != 0 || len(rep.Renamed) != 0 {
			t.Errorf("a second import: %+v", rep)
		}
		_, err := f.Purge(ctx, mem.Caller{},
			mem.PurgeOptions{Keys: []keypath.Key{letteredKey(t, "u-2")}})
		f.Must(err)
		if rep = run(); rep.New+rep.Changed != 0 || rep.Purged == 0 {
			t.Errorf("after a purge: %+v", rep)
		}
		plain := f.again(t)
		o.IDs = note.IDs{}
		if _, err := plain.imports(transfer.Incoming{Stream: bytes.NewReader(text.Bytes())},
			o); err != nil || plain.Content("/note/user/u-2") == "(none)" {
			t.Errorf("a plain root: %v, %s", err, plain.Content("/note/user/u-2"))
		}
	})
}

// A note keeps its letters when it moves; one without gets those of its first version.
func TestMovedNotesGetLetters(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.has(plainNotes()...)
		f.has(line("/note/user/u-4-abcdef", `{"text":"four"}`, byUser, "2026-02-07T10:00:00Z"))
		to := f.again(t)
		rep, err := transfer.Move(ctx, mem.Caller{}, transfer.MoveJob{From: f.Store.Store,
			To: to.Store.Store, Place: "there", IDs: lettered, Follows: true, Beside: true,
			Keys: []keypath.Key{testKey("/note/user/u-1"), testKey("/note/user/u-4-abcdef")}})
		f.Must(err)
		letters := letteredKey(t, "u-1").String()
		letters = letters[strings.LastIndexByte(letters, '-'):]
		got := ""
		for _, m := range rep.Moved {
			got += m.To.String() + " "
		}
		if want := "/note/workspace/m-1" + letters + " /note/workspace/m-2-abcdef "; got != want {
			t.Errorf("moved to %s, want %s", got, want)
		}
	})
}

// With its history a note keeps its number, and gets the letters of its first version.
func TestNotesMovedWithTheirHistoryGetLetters(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		var list []log.Envelope
		for _, e := range plainNotes() {
			e.Key = testKey(strings.ReplaceAll(e.Key.String(), "/user/u-", "/workspace/m-"))
			e.Content = bytes.ReplaceAll(e.Content, []byte("/user/u-"), []byte("/workspace/m-"))
			list = append(list, e)
		}
		f.has(list...)
		first, err := note.Letter(list[:1])
		f.Must(err)
		gone, err := note.Letter(list[4:6])
		f.Must(err)
		to := f.again(t)
		job := transfer.MoveJob{From: f.Store.Store, To: to.Store.Store, Place: "there",
			IDs: lettered, History: true}
		_, err = transfer.Move(ctx, mem.Caller{}, job)
		f.Must(err)
		if n := to.versions(first); n != 3 {
			t.Errorf("%s has %d versions", first, n)
		}
		if n := to.versions(gone); n != 2 || to.Content(gone.String()) != "(none)" {
			t.Errorf("%s has %d versions", gone, n)
		}
		for _, e := range list[:6] {
			if n := to.versions(e.Key); n != 0 {
				t.Errorf("%s has %d versions", e.Key, n)
			}
		}
	})
}

func (f *fixture) versions(key keypath.Key) int {
	f.T.Helper()
	n := 0
	f.Must(f.Everything(ctx, func(rec log.Record) error {
		if rec.Key == key {
			n++
		}
		return nil
	}))
	return n
}

func (f *fixture) again(t *testing.T) *fixture {
	t.Helper()
	return &fixture{storetest.NewStore(t, storetest.Memory)}
}
