package life

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// removeDerived removes all that follows from the history of a memory.
func (l *life) removeDerived(m *machine, scope string) {
	l.wake(m)
	root := l.root(scope)
	for _, name := range []string{"index", "cache", "state.jsonl", "checkpoint.json"} {
		l.must(os.RemoveAll(filepath.Join(root, name)))
	}
}

// below returns the plain files below a directory, without what is only about its writers.
func below(dir string) (files []string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// drawBitFlipped draws a bit that flips in a file of a memory.
func (l *life) drawBitFlipped(m *machine) *act {
	l.wake(m)
	scope := l.drawScope()
	root := l.root(scope)
	files := slices.DeleteFunc(below(root), func(path string) bool {
		name := strings.TrimPrefix(path, root+"/")
		info, err := os.Stat(path)
		return err != nil || info.Size() == 0 || name != "log.jsonl" && name != "state.jsonl" &&
			!strings.HasPrefix(name, "archive/") && !strings.HasPrefix(name, "quarantine/")
	})
	if len(files) == 0 {
		return nil
	}
	file := pick(l, "file", files)
	n := l.draw("byte", 1<<20)
	if l.draw("in the last line", 2) == 1 {
		n = -1 - l.draw("byte from the end", 300)
	}
	bit := l.between("bit", 0, 6)
	return &act{harm: flips, do: func() {
		l.flip(file, n, bit)
		l.checkNamed(m, scope)
	}}
}

// flip flips a bit of a file; below 0, its byte counts from the end.
func (l *life) flip(file string, n, bit int) {
	text, err := os.ReadFile(file)
	l.must(err)
	i := (n%len(text) + len(text)) % len(text)
	l.rt.Logf("bit %d of byte %d of %s: %q", bit, i, file, text[max(0, i-20):min(i+20, len(text))])
	text[i] ^= 1 << bit
	l.must(os.WriteFile(file, text, 0o600))
}

// checkNamed checks that fsck names a harm that took a line.
func (l *life) checkNamed(m *machine, scope string) {
	held := l.history(m, scope)
	taken := 0
	for id := range m.has[scope] {
		if _, ok := held[id]; !ok {
			taken++
		}
	}
	if r := l.run(m, scope, "fsck"); taken > 0 && r.code != 1 {
		l.rt.Errorf("%s: %d lines are damaged, and fsck says %s", m.name, taken, r)
	}
}

// drawSegmentHarmed draws a segment that is damaged, cut, taken away or put back, or of which a
// program that brings folders together makes a second copy.
func (l *life) drawSegmentHarmed(m *machine) *act {
	d := pick(l, "depot", l.depots)
	files := slices.DeleteFunc(below(d.path), func(path string) bool {
		return filepath.Base(path) == "mem-sync.json"
	})
	slices.Sort(files)
	how := pick(l, "how", []string{"damaged", "cut", "removed", "put back", "copied"})
	if len(files) == 0 {
		return nil
	}
	file := pick(l, "segment", files)
	return &act{harm: loss, do: func() { l.harmSegment(d, file, how) }}
}

// conflicted ends the name of a second copy.
const conflicted = " (conflicted copy)"

func (l *life) harmSegment(d *place, file, how string) {
	text, err := os.ReadFile(file)
	l.must(err)
	l.rt.Logf("%s: %s", how, file)
	switch how {
	case "damaged":
		text[len(text)/2] ^= 1
		l.must(os.WriteFile(file, text, 0o600))
	case "cut":
		l.must(os.WriteFile(file, text[:len(text)/2], 0o600))
	case "removed":
		d.removed = append(d.removed, removed{file, text})
		l.must(os.Remove(file))
	case "copied":
		l.must(os.WriteFile(file+conflicted, text, 0o600))
	case "put back":
		for _, one := range d.removed {
			l.must(os.WriteFile(one.path, one.text, 0o600))
		}
		d.removed = nil
	}
}
