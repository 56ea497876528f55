package forget_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// machine is a person's home with a user's store and a project's.
type machine struct {
	t    *testing.T
	dir  string
	env  map[string]string
	opts mem.Options
}

func newMachine(t *testing.T) *machine {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, dir: dir, env: map[string]string{"XDG_DATA_HOME": dir + "/data",
		"XDG_STATE_HOME": dir + "/state"}}
	m.make("data/mem/injections.jsonl", record("shop", "project", "/person/zanzibar")+
		record("shop-12345678", "project", "/person/zanzibar")+
		record("garden", "project", "/person/zanzibar")+record("shop", "user", "/other"))
	m.make("data/mem/ops.jsonl", `{"op":"search","key":"/person/zanzibar"}`+"\n"+
		`{"op":"get","error":"/person/zanzibar: not found"}`+"\n"+`{"op":"set","key":"/other"}`+"\n")
	return m
}

func record(project, layer, key string) string {
	return `{"client":"c","project":"` + project + `","memories":[{"key":"` + key + `","layer":"` +
		layer + `","text":"8c8394ff5d9f"},{"key":"/kept","layer":"user"}]}` + "\n"
}

func (m *machine) make(name, text string) {
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// layers returns the stores for --root and a working directory.
func (m *machine) layers(root, dir string) *layers.Layers {
	m.t.Helper()
	sites, err := site.Find(root, filepath.Join(m.dir, dir),
		func(name string) string { return m.env[name] })
	if err != nil {
		m.t.Fatal(err)
	}
	l := layers.New(sites, func(*site.Site) mem.Options { return m.opts })
	m.t.Cleanup(func() { l.Close() })
	return l
}

// purge stores a memory in the project, and purges it.
func (m *machine) purge(l *layers.Layers, forgetKeys bool) forget.Purged {
	m.t.Helper()
	key := keypath.MustParse("/person/zanzibar")
	s, err := l.Open(l.Sites.List()[0])
	if err == nil {
		_, err = s.Set(ctx, mem.Caller{}, mem.Write{Key: key, Content: []byte(`{"text":"lamu"}`),
			Source: []byte(`"x"`)}, mem.SetOptions{})
	}
	if err != nil {
		m.t.Fatal(err)
	}
	found, err := forget.Look(ctx, l, mem.Caller{},
		forget.Selection{Keys: []keypath.Key{key}}, true)
	if err != nil {
		m.t.Fatal(err)
	}
	done, err := found.Purge(ctx, "", forgetKeys)
	if err != nil || done.Versions != 1 {
		m.t.Fatalf("%+v, %v", done, err)
	}
	return done
}

func (m *machine) read(name string) string {
	text, err := os.ReadFile(filepath.Join(m.dir, name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// A purge in a project takes the key out of what the user's store records of that project, however
// the project's store is named, and leaves what it records of others.
func TestPurgeTakesTheRecordsBeside(t *testing.T) {
	for name, c := range map[string]struct {
		project string
		open    func(*machine) *layers.Layers
	}{
		"a .mem": {"shop", func(m *machine) *layers.Layers {
			m.make("shop/.mem/log.jsonl", "")
			m.env["MEM_TRUST"] = m.dir + "/shop"
			return m.layers("", "shop")
		}},
		"a .mem by --root": {"shop", func(m *machine) *layers.Layers {
			m.make("shop/.mem/log.jsonl", "")
			return m.layers(m.dir+"/shop/.mem", "")
		}},
		"one layer": {"shop", func(m *machine) *layers.Layers {
			m.make("shop/.mem/log.jsonl", "")
			m.env["MEM_TRUST"] = m.dir + "/shop"
			l := m.layers("", "shop")
			l.Sites, _ = l.Sites.OnlyLayer(site.Project)
			return l
		}},
		"a repository's by --root": {"shop-12345678", func(m *machine) *layers.Layers {
			return m.layers(m.dir+"/data/mem-projects/shop-12345678", "")
		}},
		"on a server": {"shop", func(m *machine) *layers.Layers {
			const url = "postgres://127.0.0.1/db?space=s"
			m.make("shop/.mem/remote", url)
			m.env["MEM_TRUST"], m.env["MEM_TRUST_REMOTE"] = m.dir+"/shop", url
			m.opts.Connect = func(_ string, o mem.Options) (*mem.Store, error) {
				return mem.New(memstore.New(o.Now), o), nil
			}
			l := m.layers("", "shop")
			if l.Sites.Project.Remote == "" {
				t.Fatal("it is not on a server")
			}
			return l
		}},
	} {
		for _, forgetKeys := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				m := newMachine(t)
				done := m.purge(c.open(m), forgetKeys)
				told, ops := m.read("data/mem/injections.jsonl"), m.read("data/mem/ops.jsonl")
				if !done.Stores[0].Proved || strings.Count(told, "zanzibar") != 2 ||
					strings.Count(told, "/kept") != 4 || !strings.Contains(told, "garden") ||
					strings.Contains(told, strings.TrimSpace(record(c.project, "project",
						"/person/zanzibar"))) {
					t.Errorf("%+v\n%s", done.Stores, told)
				}
				if strings.Contains(ops, `"key":"/person/zanzibar"`) ||
					strings.Contains(ops, "zanzibar") == forgetKeys ||
					!strings.Contains(ops, `"/other"`) {
					t.Errorf("ops.jsonl: %s", ops)
				}
			})
		}
	}
}

// A journal that cannot be read is a remainder, by its name.
func TestPurgeNamesTheRecordsBeside(t *testing.T) {
	m := newMachine(t)
	m.make("shop/.mem/log.jsonl", "")
	m.env["MEM_TRUST"] = m.dir + "/shop"
	file := m.dir + "/data/mem/injections.jsonl"
	if err := os.Rename(file, file+".old"); err != nil {
		t.Fatal(err)
	}
	m.make("data/mem/injections.jsonl/file", "")
	done := m.purge(m.layers("", "shop"), true)
	if done.Stores[0].Proved || done.Failed == nil ||
		!strings.HasSuffix(done.Stores[0].Remains[0], "/data/mem/injections.jsonl") {
		t.Errorf("%+v, %v", done.Stores, done.Failed)
	}
}

// The book of trust has a hash of every line; a purge takes those of its keys.
func TestPurgeTakesTheLinesOfTheBook(t *testing.T) {
	m := newMachine(t)
	m.make("shop/.mem/README.md", "")
	book := site.OpenBook(func(name string) string { return m.env[name] }, m.dir)
	grant, err := book.Grant(m.dir+"/shop/.mem", log.StampOf(storetest.Noon))
	if err != nil {
		t.Fatal(err)
	}
	l := m.layers("", "shop")
	lines := func() int { return strings.Count(m.read("state/mem/lines/"+grant.ID), "\n") }
	s, err := l.Open(l.Sites.Project)
	if err == nil {
		_, err = s.Set(ctx, mem.Caller{}, mem.Write{Key: keypath.MustParse("/other"),
			Content: []byte(`1`), Source: []byte(`"x"`)}, mem.SetOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	if done := m.purge(l, true); !done.Stores[0].Proved || lines() != 1 {
		t.Errorf("%d lines are known, %+v", lines(), done.Stores)
	}
}
