package lettering_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/lettering"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

type fixture struct{ *storetest.Store }

// newFixture is a store of before: u-1 was edited and replaced by u-2, u-3 is deleted, and /y
// refers to u-2.
func newFixture(t *testing.T) *fixture {
	f := &fixture{storetest.NewStore(t, storetest.Files)}
	f.fold(
		line(1, "/note/user/u-1", `{"type":"note","text":"larch 1"}`),
		line(2, "/note/user/u-1", `{"type":"note","text":"larch 2"}`),
		line(3, "/note/user/u-2", `{"type":"note","text":"larch 3"}`),
		line(4, "/note/user/u-1", `{"text":"larch 2","superseded_by":"/note/user/u-2"}`),
		line(5, "/note/user/u-3", `{"type":"note","text":"gone"}`),
		line(6, "/note/user/u-3", `null`),
		line(7, "/y", `{"text":"see","references":["/note/user/u-2"]}`),
		line(8, "/note/user/u-4-abcdef", `{"text":"four"}`))
	return f
}

func line(at int, key, content string) log.Envelope {
	return log.Envelope{Key: keypath.MustParse(key), Content: []byte(content),
		Source: []byte(`"chat"`), TS: log.StampOf(storetest.Noon) - log.Stamp(1000-at)}
}

func (f *fixture) fold(lines ...log.Envelope) {
	f.T.Helper()
	op, err := f.Begin(mem.Caller{}, policy.Sync)
	f.Must(err)
	f.Must(op.MergeLines(ctx, lines))
}

func (f *fixture) give() []lettering.Given {
	f.T.Helper()
	done, err := lettering.Give(ctx, f.Store.Store, mem.Caller{})
	f.Must(err)
	return done
}

func letters(t *testing.T, first log.Envelope) string {
	t.Helper()
	key, err := note.Letter([]log.Envelope{first})
	if err != nil {
		t.Fatal(err)
	}
	return key.String()
}

// check checks that the notes have their letters, with all versions, and nothing refers elsewhere.
func (f *fixture) check(t *testing.T) {
	t.Helper()
	one := letters(t, line(1, "/note/user/u-1", `{"type":"note","text":"larch 1"}`))
	two := letters(t, line(3, "/note/user/u-2", `{"type":"note","text":"larch 3"}`))
	for key, want := range map[string]string{
		one:              `{"text":"larch 2","superseded_by":"` + two + `"}`,
		two:              `{"type":"note","text":"larch 3"}`,
		"/note/user/u-1": "(none)", "/note/user/u-2": "(none)",
		"/note/user/u-4-abcdef": `{"text":"four"}`,
	} {
		if got := f.Content(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if got := f.Content("/y"); !strings.Contains(got, two) {
		t.Errorf("/y: %s", got)
	}
	versions := map[string]int{}
	f.Must(f.Everything(ctx, func(rec log.Record) error {
		versions[rec.Key.String()]++
		return nil
	}))
	if versions[one] != 3 || versions[two] != 1 || versions["/note/user/u-1"] != 1 {
		t.Errorf("versions: %v", versions)
	}
	if n, err := lettering.Plain(ctx, f.Store.Store, mem.Caller{}); n != 0 || err != nil {
		t.Errorf("%d plain notes, %v", n, err)
	}
	key, err := note.Resolve(ctx, f.Store.Store, mem.Caller{}, "u-1")
	if err != nil || key.String() != one {
		t.Errorf("u-1 is %s, %v", key, err)
	}
}

func TestGive(t *testing.T) {
	f := newFixture(t)
	if n, err := lettering.Plain(ctx, f.Store.Store, mem.Caller{}); n != 2 || err != nil {
		t.Errorf("%d plain notes, %v", n, err)
	}
	if done := f.give(); len(done) != 2 || done[0].From.String() != "/note/user/u-1" {
		t.Errorf("%+v", done)
	}
	f.check(t)
	if done := f.give(); len(done) != 0 {
		t.Errorf("a second time: %+v", done)
	}
	f.check(t)
}

// The mark of a purge of the note with letters, as a sync brings it, counts for the plain one too.
func TestGivePurged(t *testing.T) {
	f := newFixture(t)
	two := letters(t, line(3, "/note/user/u-2", `{"type":"note","text":"larch 3"}`))
	mark := line(9, two, "null")
	mark.Source = []byte(`{"kind":"user","name":"mem forget","purged":true}`)
	f.fold(mark)
	f.give()
	if got := f.Content(two); got != "(none)" {
		t.Errorf("%s: %s", two, got)
	}
	err := filepath.WalkDir(f.Root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(data), "larch 3") {
				t.Errorf("%s has the purged text (%v)", path, err)
			}
		}
		return err
	})
	f.Must(err)
}

// Killed at any change of the disk, the next call goes on.
func TestGiveKilled(t *testing.T) {
	errKilled := errors.New("killed")
	for n, died := 1, true; died; n += 3 {
		f, count := newFixture(t), 0
		disk.SetHook(func(op disk.Op, _ string) error {
			if op.Mutates() {
				if count++; count >= n {
					return errKilled
				}
			}
			return nil
		})
		_, _ = lettering.Give(ctx, f.Store.Store, mem.Caller{})
		disk.SetHook(nil)
		if died = count >= n; died {
			f.Close()
			f.Open()
		}
		f.give()
		f.Put("/x", "1") // a write finishes a purge that was killed
		f.check(t)
	}
}
