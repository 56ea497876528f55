package edit_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
)

// The last command is the one that ran last, in whichever store it was and wherever the other
// store's command was typed, also after the clock was set back.
func TestUndoLastKnowsTheOrderWithoutTheClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		order []string // the layers of the commands, each an hour before the last by the clock
	}{
		{"the project's is last", []string{site.User, site.Project}},
		{"the user's is last", []string{site.Project, site.User}},
		{"one of several", []string{site.Project, site.Project, site.Project, site.User}},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := storetest.Noon
			l := layersOf(t, func() time.Time { return now })
			for _, layer := range c.order {
				now = now.Add(-time.Hour)
				setIn(t, l, layer, func() time.Time { return now })
			}
			want := c.order[len(c.order)-1]
			cmd, err := edit.LastCommand(mem.Caller{}, storesOf(t, l))
			if err != nil {
				t.Fatal(err)
			}
			done, err := edit.UndoCommand(context.Background(), mem.Caller{}, cmd, edit.Author{})
			if err != nil || len(done.Undone) != 1 || done.Undone[0].Key.String() != "/k/"+want {
				t.Errorf("%+v, %v: want the command of the %s", done, err, want)
			}
			now = storetest.Noon
			for _, s := range storesOf(t, l).List {
				rep, err := s.Fsck(context.Background(), mem.Caller{}, mem.FsckOptions{})
				if err != nil || len(rep.Found) > 0 {
					t.Errorf("fsck: %v, %v", rep.Found, err)
				}
			}
		})
	}
}

// layersOf returns the layers of a person in a repository.
func layersOf(t *testing.T, now func() time.Time) *layers.Layers {
	t.Helper()
	home := t.TempDir()
	for _, dir := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(home, "shop/.git", dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	head := filepath.Join(home, "shop/.git/HEAD")
	if err := os.WriteFile(head, []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sites, err := site.Find("", filepath.Join(home, "shop"), func(name string) string {
		return map[string]string{"XDG_DATA_HOME": home + "/data",
			"XDG_STATE_HOME": home + "/state"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	l := layers.New(sites, func(*site.Site) mem.Options { return mem.Options{Now: now} })
	t.Cleanup(func() { l.Close() })
	return l
}

func storesOf(t *testing.T, l *layers.Layers) (in edit.Stores) {
	t.Helper()
	for _, one := range []*site.Site{l.Sites.User, l.Sites.Project} {
		s, err := l.Open(one)
		if err != nil {
			t.Fatal(err)
		}
		in.List = append(in.List, s)
	}
	return in
}

// setIn sets the key of a layer there.
func setIn(t *testing.T, l *layers.Layers, layer string, now func() time.Time) {
	t.Helper()
	// As with --layer: the other one is not in the call.
	sites, ok := l.Sites.OnlyLayer(layer)
	if !ok {
		t.Fatal("no " + layer)
	}
	only := layers.New(sites, func(*site.Site) mem.Options { return mem.Options{Now: now} })
	defer only.Close()
	s, err := only.Open(sites.One)
	if err == nil {
		_, err = s.Set(context.Background(), mem.Caller{},
			storetest.Write("/k/"+layer, `{"text":"x"}`), mem.SetOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}
