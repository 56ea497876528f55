package filestore_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// model is a store with what it should hold, whatever happens to its files meanwhile.
type model struct {
	*storetest.World
	rt    *rapid.T
	live  map[string]string
	older map[string][]byte // an older index file of a key
	away  map[string][]byte // archives as they were, of those that are not at hand
	n     int
}

// Archives that are missing, compressed or cut; clocks ten years behind and ahead; index files that
// are older, edited or without a checksum: between writes, compactions, rotations, repairs and
// reboots no answer changes, nothing is a finding but what was done, and with the archives back in
// their place the store is sound.
func TestNothingChangesAnAnswer(t *testing.T) {
	steps := 0
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{World: storetest.NewWorld(t), rt: rt, live: map[string]string{},
			older: map[string][]byte{}, away: map[string][]byte{}}
		m.Dirty = true // where it fails
		m.write()
		m.Now = m.Now.Add(3e9) // of one record alone nobody knows whether its clock was right
		m.write()
		for range rapid.IntRange(3, 14).Draw(rt, "steps") {
			step := modelSteps[rapid.IntRange(0, len(modelSteps)-1).Draw(rt, "step")]
			step.do(m)
			m.same(step.name)
			steps++
		}
		m.back()
		m.Repair()
		m.same("the archives back, and a repair")
		if found := m.Check(); len(found) > 0 {
			rt.Errorf("in the end: %v", found)
		}
	})
	if t.Logf("%d steps", steps); steps < testkit.Extent(120, 500, 500) {
		t.Error("that is too little")
	}
}

var modelSteps = []struct {
	name string
	do   func(*model)
}{
	{"a write", (*model).write},
	{"a tombstone", func(m *model) { m.put(m.key(), "null") }},
	{"a compaction", func(m *model) { m.Compact(storetest.KeepLog) }},
	{"a rotation", func(m *model) { m.Compact(storetest.RotateLog) }},
	{"a repair", func(m *model) { m.Repair() }},
	{"a reboot", func(m *model) { m.n++; m.Boot = fmt.Sprint("boot-", m.n) }},
	{"another clock", func(m *model) {
		m.Now = storetest.Noon.AddDate(0, 0, rapid.IntRange(-3650, 3650).Draw(m.rt, "days"))
		// Twice, so that a later line agrees with the time of an earlier one.
		m.write()
		m.Now = m.Now.Add(3e9)
		m.write()
	}},
	{"no archives", func(m *model) { m.hide(func(file string) error { return os.Remove(file) }) }},
	{"compressed archives", func(m *model) {
		m.hide(func(file string) error { return os.Rename(file, file+".gz") })
	}},
	{"cut archives", func(m *model) {
		m.hide(func(file string) error { return os.Truncate(file, 60) })
	}},
	{"archives back", (*model).back},
	{"an older index file", func(m *model) {
		for key, text := range m.older {
			m.index(key, func([]byte) []byte { return text })
		}
	}},
	{"an edited index file", func(m *model) {
		m.index(m.key(), func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"content": "v`), []byte(`"content": "w`), 1)
		})
	}},
	{"an index file without a checksum", func(m *model) {
		m.index(m.key(), func(b []byte) []byte {
			return append(b[:bytes.Index(b, []byte(",\n  \"checksum\""))], "\n}\n"...)
		})
	}},
	{"no index file", func(m *model) { os.Remove(m.File(m.IndexFile(m.key()))) }},
}

func (m *model) key() string { return fmt.Sprintf("/k%d", rapid.IntRange(0, 4).Draw(m.rt, "key")) }

func (m *model) write() {
	m.n++
	m.put(m.key(), fmt.Sprintf(`"v%d"`, m.n))
}

func (m *model) put(key, content string) {
	if text, err := os.ReadFile(m.File(m.IndexFile(key))); err == nil {
		m.older[key] = text
	}
	m.Set(key, content)
	if m.live[key] = content; content == "null" {
		delete(m.live, key)
	}
}

// hide takes away all archives that are at hand. What they have is in the state by then.
func (m *model) hide(do func(file string) error) {
	names, err := log.Archives(m.Dir)
	m.Must(err)
	for _, name := range names {
		if m.away[name] != nil {
			continue
		}
		text, err := os.ReadFile(m.File(name))
		m.Must(err)
		m.away[name] = text
		m.Must(do(m.File(name)))
	}
}

func (m *model) back() {
	for name, text := range m.away {
		os.Remove(m.File(name + ".gz"))
		m.Must(os.WriteFile(m.File(name), text, 0o600))
	}
	clear(m.away)
}

// index changes the index file of a key, if it has one.
func (m *model) index(key string, fn func([]byte) []byte) {
	file := m.File(m.IndexFile(key))
	text, err := os.ReadFile(file)
	if err == nil && bytes.Contains(text, []byte(`"checksum"`)) {
		m.Must(os.WriteFile(filepath.Clean(file), fn(text), 0o600))
	}
}

// same checks every answer, and what fsck finds.
func (m *model) same(step string) {
	if got := m.Live(); fmt.Sprint(got) != fmt.Sprint(m.live) {
		m.rt.Fatalf("after %s the list has %v, want %v", step, got, m.live)
	}
	for i := range 5 {
		key := fmt.Sprint("/k", i)
		if got, found := m.Get(key); found != (m.live[key] != "") || found && got != m.live[key] {
			m.rt.Fatalf("after %s get %s is %q, want %q", step, key, got, m.live[key])
		}
		if got := newest(m.World, key); got != m.live[key] {
			m.rt.Fatalf("after %s a condition sees %s as %q, want %q", step, key, got, m.live[key])
		}
	}
	for _, f := range m.Check() {
		if !m.expects(f) {
			m.rt.Fatalf("after %s: %s", step, f)
		}
	}
}

// expects reports whether a finding is what was done to the store: to the index, or to an archive.
func (m *model) expects(f fsck.Finding) bool {
	switch f.Name {
	case "missing", "stale", "edited":
		return true
	case "archive", "state": // the state has what no history at hand does
		return len(m.away) > 0
	case "torn", "line":
		return m.away[f.File] != nil
	}
	return false
}
