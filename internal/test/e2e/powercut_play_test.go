//go:build linux

package e2e

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// play is the scenario: every kind of change that mem makes to a tree, with kills between.
func (w *cutWorld) play() {
	put := func(key, content string) {
		w.step(map[string]string{key: content},
			func(s *mem.Store) error { return set(s, key, content) })
	}
	w.killed(1, "/early", `"e"`)
	w.killed(4, "/early", `"e"`)
	w.killed(8, "/early", `"e"`)
	put("/a", "1")
	put("/b/deep/key", `"old value"`)
	put("/a", "2")
	for n := 1; n <= 5; n += 2 {
		w.killed(n, "/c", `"killed"`)
	}
	put("/b/deep/key", `"new value"`)
	w.step(map[string]string{"/p": "1", "/q": "2", "/r/s": "3"}, func(s *mem.Store) error {
		_, err := s.SetAll(ctx, mem.Caller{}, strings.NewReader(`{"key":"/p","content":1}`+"\n"+`{"key":"/q","content":2}`+"\n"+`{"key":"/r/s","content":3}`),
			mem.BatchOptions{Source: []byte(`"batch"`)})
		return err
	})
	w.remove("/q")
	w.compact()
	// The log has what no sync and no watermark knows of, behind a checkpoint.
	w.killed(6, "/never/synced", `"killed"`)
	put("/a", "3")
	// Over before anybody looks.
	w.step(map[string]string{"/short": ""}, func(s *mem.Store) error {
		return set(s, "/short", `{"expired_at":"2026-02-22T12:00:30Z"}`)
	})
	w.killedCompaction(3)
	w.remove("/p")
	w.external(func() { w.write("config.json", `{"rotate":{"lines":5,"bytes":1000000}}`) })
	w.killedCompaction(12)
	w.compact()
	put("/a", "4")
	put("/d", "5")
	w.tornTail()
	w.damage()
	w.compact()
	put("/b/deep/key", `"newest value"`)
	w.approval()
	w.note("m-1")
	w.step(map[string]string{"/note/workspace/m-1": ""},
		func(s *mem.Store) error { return note.Forget(ctx, s, mem.Caller{}, "m-1", nil) })
	w.compact()
	w.note("m-2")
}

// note notes something down, for which it must get this id.
func (w *cutWorld) note(id string) {
	w.step(map[string]string{"/note/workspace/" + id: `{"type":"note","text":"fact"}`}, func(s *mem.Store) error {
		got, err := note.Add(ctx, s, mem.Caller{}, "fact", note.Options{})
		if err == nil && got.ID != id {
			err = errors.New("the id is " + got.ID)
		}
		return err
	})
}

func (w *cutWorld) remove(key string) {
	w.step(map[string]string{key: ""}, func(s *mem.Store) error {
		_, missing, err := s.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse(key)},
			[]byte(`"rm"`))
		if len(missing) > 0 {
			err = errors.Join(err, mem.ErrNotFound)
		}
		return err
	})
}

func (w *cutWorld) compact() {
	w.step(nil, func(s *mem.Store) error {
		_, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		return err
	})
}

// killed is a set whose process dies before its n-th call.
func (w *cutWorld) killed(n int, key, content string) {
	w.interrupted(n, map[string]string{key: content},
		func(s *mem.Store) error { return set(s, key, content) })
}

func (w *cutWorld) killedCompaction(n int) {
	w.interrupted(n, nil, func(s *mem.Store) error {
		_, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		return err
	})
}

func (w *cutWorld) interrupted(n int, to map[string]string, do func(*mem.Store) error) {
	w.t.Helper()
	w.learn(func(k *knowledge) { k.mayBecome(to) })
	w.now = w.now.Add(time.Minute)
	s := w.open()
	killedAt(w.tape, n, func() error { return do(s) })
	lines := history(w.t, s)
	s.Close()
	for i := range w.known {
		maps.Copy(w.known[i].written, lines)
	}
}

// external makes an external modification of the tree, which counts as durable.
func (w *cutWorld) external(do func()) {
	do()
	w.tape.settle()
	w.learn(func(*knowledge) {})
}

func (w *cutWorld) write(name, text string) {
	w.t.Helper()
	w.must(os.WriteFile(filepath.Join(w.root(), name), []byte(text), 0o600))
}

func (w *cutWorld) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root(), name))
	w.must(err)
	return string(text)
}

// tornTail is what a short write leaves, and the write that quarantines it.
func (w *cutWorld) tornTail() {
	const tail = `{"key":"/torn","ts":"2026-02-22T12:`
	w.external(func() { w.write("log.jsonl", w.read("log.jsonl")+tail) })
	w.learn(func(n *knowledge) { n.bytes = append(n.bytes, tail) })
	w.step(map[string]string{"/e": "6"}, func(s *mem.Store) error { return set(s, "/e", "6") })
}

// damage changes a letter of an old version in the log, and leaves a file in index/ that is none of
// mem's; then a repair.
func (w *cutWorld) damage() {
	w.step(map[string]string{"/d": `"a letter"`}, func(s *mem.Store) error { return set(s, "/d", `"a letter"`) })
	w.step(map[string]string{"/d": "7"}, func(s *mem.Store) error { return set(s, "/d", "7") })
	text := w.read("log.jsonl")
	bad := strings.Replace(text, "a letter", "a lettuce", 1)
	const foreign = "this is no envelope at all"
	w.external(func() {
		w.write("log.jsonl", bad)
		w.write("index/foreign.json", foreign)
	})
	w.learn(func(n *knowledge) {
		n.damaged = true
		n.bytes = append(n.bytes, `a lettuce`, foreign)
		for line := range n.must {
			if strings.Contains(line, "a letter") {
				delete(n.must, line)
			}
		}
	})
	w.step(nil, func(s *mem.Store) error {
		rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
		if len(rep.Left) > 0 {
			w.t.Errorf("a repair leaves %v", rep.Left)
		}
		return err
	})
	w.learn(func(n *knowledge) { n.damaged = false })
}

// approval approves what was quarantined.
func (w *cutWorld) approval() {
	const place = "/untrusted/kb/fact"
	w.step(map[string]string{place: "8"}, func(s *mem.Store) error {
		_, err := s.Set(ctx, mem.Caller{}, write("/kb/fact", "8"), mem.SetOptions{Quarantine: true})
		return err
	})
	w.step(map[string]string{place: "", "/kb/fact": "8"}, func(s *mem.Store) error {
		w, err := s.Waiting(ctx, mem.Caller{}, keypath.MustParse("/kb/fact"))
		if err == nil {
			_, err = s.Approve(ctx, mem.Caller{}, w.Shown(), mem.ApproveOptions{})
		}
		return err
	})
}
