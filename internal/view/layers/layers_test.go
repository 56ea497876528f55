package layers_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// inProject returns the layers in a repository below a home of its own.
func inProject(t *testing.T) *layers.Layers {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	app := filepath.Join(home, "app")
	for _, name := range []string{"refs", "objects"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(app, ".git", name), 0o700))
	}
	head := filepath.Join(app, ".git", "HEAD")
	err = errors.Join(err, os.WriteFile(head, []byte("ref: refs/heads/main\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	sites, err := site.Find("", app, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	l := layers.New(sites, func(*site.Site) mem.Options {
		return mem.Options{LockWait: 10 * time.Millisecond}
	})
	t.Cleanup(func() {
		for _, site := range sites.List() {
			s, err := l.Open(site)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
			if err != nil || len(rep.Found) > 0 {
				t.Errorf("%s: %+v, %v", site.Root, rep.Found, err)
			}
		}
		l.Close()
	})
	return l
}

func storeOf(t *testing.T, l *layers.Layers, name string) *mem.Store {
	t.Helper()
	site, err := l.Site(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Open(site)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func keysIn(t *testing.T, s *mem.Store) (keys []string) {
	t.Helper()
	err := s.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		keys = append(keys, rec.Key.String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

const mixedBatch = `{"key":"/b","content":1,"source":"t"}
{"key":"/user/a","content":1,"source":"t"}
{"key":"/c","content":1,"source":"t"}
`

func TestBatchOnTwoLayers(t *testing.T) {
	l := inProject(t)
	user, project := storeOf(t, l, "user"), storeOf(t, l, "project")
	both, err := l.Reading()
	if err != nil {
		t.Fatal(err)
	}
	// A bad line of either keeps all lines out; --keep-going writes the others.
	bad := mixedBatch + `{"key":"/user/b","content":1}` + "\n" + `{"key":"x","content":1}` + "\n"
	rep, err := l.SetAll(ctx, mem.Caller{}, strings.NewReader(bad), mem.BatchOptions{})
	var lines *mem.BatchError
	if !errors.As(err, &lines) || len(lines.Lines) != 2 || lines.Lines[0].Line != 4 ||
		lines.Lines[1].Line != 5 || rep.Refused != 2 || len(keysIn(t, both)) > 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	rep, err = l.SetAll(ctx, mem.Caller{}, strings.NewReader(bad),
		mem.BatchOptions{KeepGoing: true})
	if !errors.As(err, &lines) || rep.Written != 3 || rep.Refused != 2 {
		t.Errorf("%+v, %v", rep, err)
	}
	if got := keysIn(t, project); !slices.Equal(got, []string{"/b", "/c"}) {
		t.Errorf("project: %q", got)
	}
	if got := keysIn(t, user); !slices.Equal(got, []string{"/user/a"}) {
		t.Errorf("user: %q", got)
	}
}

// A fault of one layer keeps all lines out, whatever layer the lines after it are for.
func TestBatchOnAWrongLayer(t *testing.T) {
	l := inProject(t)
	user := storeOf(t, l, "user")
	project := storetest.Store{T: t, Store: storeOf(t, l, "project")}
	project.Root = project.Path()
	project.Configure(`{"rotate":{"lines":0}}`)
	_, err := l.SetAll(ctx, mem.Caller{}, strings.NewReader(mixedBatch[:strings.Index(mixedBatch,
		`{"key":"/c"`)]), mem.BatchOptions{})
	var wrong *mem.ConfigError
	if !errors.As(err, &wrong) || len(keysIn(t, user)) > 0 {
		t.Errorf("%q, %v", keysIn(t, user), err)
	}
	project.Configure(`{}`)
}

// Where the second layer cannot be written, the error says what the first one has; the same with
// Resume stores the rest and nothing twice.
func TestBatchEndsBetweenLayers(t *testing.T) {
	l := inProject(t)
	user, project := storeOf(t, l, "user"), storeOf(t, l, "project")
	if _, err := user.Create(); err != nil {
		t.Fatal(err)
	}
	dir, err := disk.Open(user.Path())
	if err != nil {
		t.Fatal(err)
	}
	lock, err := log.NewLocker(dir).Acquire(ctx, "test", time.Now(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.SetAll(ctx, mem.Caller{}, strings.NewReader(mixedBatch), mem.BatchOptions{})
	var part *mem.PartialError
	if !errors.As(err, &part) || part.Stored != 2 || part.Total != 3 ||
		!errors.Is(err, log.ErrLocked) {
		t.Errorf("%+v, %v", part, err)
	}
	if len(keysIn(t, project)) != 2 || len(keysIn(t, user)) != 0 {
		t.Errorf("stored %q and %q", keysIn(t, project), keysIn(t, user))
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	rep, err := l.SetAll(ctx, mem.Caller{}, strings.NewReader(mixedBatch),
		mem.BatchOptions{Resume: true})
	if err != nil || rep.Written != 1 || rep.Unchanged != 2 || len(keysIn(t, user)) != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
}

// A key is where it has a live memory, the project first; an expired one comes after a live one.
func TestHolding(t *testing.T) {
	l := inProject(t)
	user, project := storeOf(t, l, "user"), storeOf(t, l, "project")
	const over = `{"text":"x","expired_at":"2001-01-01T00:00:00Z"}`
	for key, content := range map[string][2]string{
		"/both": {`1`, `2`}, "/user/only": {`1`, ``}, "/only": {``, `1`}, "/over": {`1`, over},
		"/both/over": {over, over},
	} {
		for i, s := range []*mem.Store{user, project} {
			if content[i] != "" {
				f := storetest.Store{T: t, Store: s}
				f.Put(key, content[i])
			}
		}
	}
	for key, want := range map[string]string{
		"/both": "project", "/user/only": "user", "/only": "project", "/over": "user",
		"/both/over": "project", "/none": "project, no", "/user/none": "user, no",
	} {
		k, err := keypath.Parse(key)
		if err != nil {
			t.Fatal(err)
		}
		site, found, err := l.Holding(ctx, mem.Caller{}, k)
		if err != nil {
			t.Fatal(err)
		}
		got := site.Layer
		if !found {
			got += ", no"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

// What was said and done may lie in the user's store for good: nobody is asked to move it.
func TestIsUnfiled(t *testing.T) {
	for key, want := range map[string]bool{
		"/project/db": true, "/kb/go": true, "/user/name": false, "/session/s1": false,
		"/session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV": false, "/event/s1/evt_1": false,
		"/untrusted/project/db": false, "/agent/ada/notes": false, "/sessions": true,
	} {
		if got := layers.IsUnfiled(keypath.MustParse(key)); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
}
