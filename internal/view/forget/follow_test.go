package forget_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// apart returns the stores of the machine in two repositories, which share the user's.
func apart(t *testing.T) (m *machine, garden, shop *layers.Layers) {
	m = newMachine(t)
	for _, name := range []string{"garden", "shop"} {
		m.make(name+"/.git/HEAD", "ref: refs/heads/main\n")
		m.make(name+"/.git/refs/x", "")
		m.make(name+"/.git/objects/x", "")
	}
	return m, m.layers("", "garden"), m.layers("", "shop")
}

// open returns a layer of the stores.
func open(t *testing.T, l *layers.Layers, layer string) *mem.Store {
	t.Helper()
	one, err := l.Site(layer)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Open(one)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func set(t *testing.T, s *mem.Store, key, text string) {
	t.Helper()
	w := mem.Write{Key: keypath.MustParse(key), Content: []byte(text), Source: []byte(`"x"`)}
	_, err := s.Set(ctx, mem.Caller{}, w, mem.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// bring moves a memory, and returns its key there.
func bring(t *testing.T, from, to *mem.Store, user bool, key keypath.Key) keypath.Key {
	t.Helper()
	rep, err := transfer.Move(ctx, mem.Caller{}, transfer.MoveJob{From: from, To: to,
		Place: "there", Keys: []keypath.Key{key}, User: user})
	if err != nil || len(rep.Moved) != 1 {
		t.Fatalf("%+v, %v", rep, err)
	}
	return rep.Moved[0].To
}

// noted notes a text in a project, and returns its key.
func noted(t *testing.T, s *mem.Store, text string) keypath.Key {
	t.Helper()
	done, err := note.Add(ctx, s, mem.Caller{}, text, note.Options{Scope: "workspace"})
	if err != nil {
		t.Fatal(err)
	}
	return done.Key
}

// holding returns the files of the machine that hold a text.
func (m *machine) holding(text string) (names []string) {
	m.t.Helper()
	err := filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, m.dir)
		if err == nil && d.Type().IsRegular() && strings.Contains(m.read(name), text) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return names
}

// A purge takes a memory out of every store that a move took it from or brought it to, whichever of
// them it names, and however far it went.
func TestPurgeFollowsMoves(t *testing.T) {
	for _, last := range []bool{true, false} {
		m, garden, shop := apart(t)
		first := open(t, garden, site.Project)
		user, third := open(t, garden, site.User), open(t, shop, site.Project)
		set(t, third, "/other", `"Zanzibar"`)
		key := noted(t, first, "Zanzibar is the secret place")
		sel, l := forget.Selection{Keys: []keypath.Key{key}}, garden
		key = bring(t, first, user, true, key)
		key = bring(t, user, third, false, key)
		if last {
			sel.Keys[0], l = key, shop
		}
		found, err := forget.Look(ctx, l, mem.Caller{}, sel, true)
		if err != nil || len(found.Matches()) != 3 {
			t.Fatalf("%+v, %v", found.Matches(), err)
		}
		done, err := found.Purge(ctx, "", false)
		if err != nil || done.Failed != nil || len(done.Stores) != 3 {
			t.Fatalf("%+v, %v", done, err)
		}
		if left := m.holding("secret place"); len(left) > 0 {
			t.Errorf("left in %v", left)
		}
		if left := m.holding("Zanzibar"); len(left) == 0 {
			t.Error("another memory is gone")
		}
	}
}

// A key that was written again after its memory was moved away is another memory: it stays, and the
// purge names it.
func TestPurgeNamesAKeyThatIsUsedAgain(t *testing.T) {
	m, garden, shop := apart(t)
	user, third := open(t, garden, site.User), open(t, shop, site.Project)
	key := keypath.MustParse("/k/x")
	set(t, third, "/k/x", `{"text":"Zanzibar is the secret place"}`)
	bring(t, third, user, true, key)
	set(t, third, "/k/x", `{"text":"another"}`)
	found, err := forget.Look(ctx, garden, mem.Caller{}, forget.Selection{
		Keys: []keypath.Key{key}}, true)
	if err != nil {
		t.Fatal(err)
	}
	done, err := found.Purge(ctx, "", false)
	if err != nil || done.Failed == nil || !strings.Contains(done.Failed.Error(), third.Path()) {
		t.Errorf("%v, %v", done.Failed, err)
	}
	if rec, err := third.Get(ctx, mem.Caller{}, key, false); err != nil || !rec.Valid() {
		t.Errorf("%v: %v", m.holding("another"), err)
	}
}

// A mark that came with an exchange takes only some versions of a key. Where this machine moved the
// memory back to that key meanwhile, the version there goes, too; another memory there stays.
func TestPurgeFollowsAMoveBackToAMarkedKey(t *testing.T) {
	for _, c := range []struct {
		text  string
		parts int
	}{{"", 1}, {`{"text":"another"}`, 0}} {
		_, garden, _ := apart(t)
		user, project := open(t, garden, site.User), open(t, garden, site.Project)
		key := keypath.MustParse("/k/x")
		set(t, user, "/k/x", `{"text":"Zanzibar is the secret place"}`)
		first, err := user.Get(ctx, mem.Caller{}, key, false)
		if err != nil {
			t.Fatal(err)
		}
		bring(t, user, project, false, key)
		if c.text == "" {
			bring(t, project, user, true, key)
		} else {
			set(t, user, "/k/x", c.text)
		}
		to := first.TS
		found, err := forget.Follow(ctx, garden, mem.Caller{}, []forget.Part{
			{Store: project, Keys: []keypath.Key{key}},
			{Store: user, Keys: []keypath.Key{key},
				Takes: func(rec log.Record) bool { return rec.TS <= to }}})
		if err != nil || len(found.Parts) != c.parts || len(found.Kept) != 0 {
			t.Errorf("%q: %+v, %v", c.text, found, err)
		}
		if len(found.Parts) == 1 && found.Parts[0].Store.RealPath() != user.RealPath() {
			t.Errorf("it follows to %s", found.Parts[0].Store.RealPath())
		}
	}
}

// A purge of several stores that ends in the midst of one goes on there with the next write; for
// those behind it the error names the same command.
func TestUnfinishedPurgeNamesTheRest(t *testing.T) {
	for n := 1; ; n++ {
		m, garden, _ := apart(t)
		user, project := open(t, garden, site.User), open(t, garden, site.Project)
		key := keypath.MustParse("/k/x")
		set(t, project, "/k/x", `{"text":"Zanzibar is the secret place"}`)
		bring(t, project, user, true, key)
		purge := func() error {
			found, err := forget.Look(ctx, garden, mem.Caller{}, forget.Selection{
				Keys: []keypath.Key{key}}, true)
			if err == nil {
				_, err = found.Purge(ctx, "", false)
			}
			return err
		}
		count := 0
		disk.SetHook(func(op disk.Op, path string) error {
			if op.Mutates() && strings.HasPrefix(path, project.RealPath()) {
				if count++; count >= n {
					return syscall.ENOSPC
				}
			}
			return nil
		})
		err := purge()
		disk.SetHook(nil)
		if count < n {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		var left *backend.UnfinishedError
		if errors.As(err, &left) && !strings.Contains(left.Rest, "the same command") {
			t.Errorf("at call %d: %v, %+v", n, err, left)
		}
		if err := purge(); err != nil {
			t.Errorf("at call %d, again: %v", n, err)
		}
		set(t, project, "/other", `"other"`)
		if left := m.holding("secret place"); len(left) > 0 {
			t.Errorf("at call %d: left in %v", n, left)
		}
	}
}
