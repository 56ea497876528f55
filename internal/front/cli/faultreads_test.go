package cli

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// aDayLater is when a temporary file that was left behind is old enough to be found.
const aDayLater = "2026-02-23T11:00:00Z"

// reads is the next process: whatever the fault was, all that was acknowledged before is there, by
// every way to ask, and so is what the command stored, whether it left with 0 or said that it is
// stored; of a command that failed otherwise each key has the old content or the new one.
func (f *faulty) reads(what string, got reaction) {
	f.t.Helper()
	stored := got.exit == exitDone || strings.Contains(got.stderr, "stored in the log")
	live := f.live(what)
	keys := maps.Clone(f.before)
	maps.Copy(keys, live)
	maps.Copy(keys, f.o.after)
	for key := range keys {
		after, changes := f.o.after[key]
		switch is := live[key]; {
		case changes && is == after, !changes && is == f.before[key]:
		case changes && !stored && is == f.before[key]:
		default:
			f.t.Errorf("%s (exit %d): the next process reads %s as %q, want %q, and %q if stored",
				what, got.exit, key, is, f.before[key], after)
		}
		f.holds(what, key, live[key])
	}
	listed := strings.Fields(f.run("", "ls", "-1").stdout)
	if want := slices.Sorted(maps.Keys(live)); !slices.Equal(listed, want) {
		f.t.Errorf("%s: ls has %v, the export %v", what, listed, want)
	}
}

// live returns what is live, as the next process exports it.
func (f *faulty) live(what string) map[string]string {
	f.t.Helper()
	live := map[string]string{}
	a := f.run("", "export")
	if a.exit != exitDone {
		f.t.Errorf("%s: the next process: exit %d: %s", what, a.exit, a.stderr)
	}
	dec := json.NewDecoder(strings.NewReader(a.stdout))
	for dec.More() {
		var e struct {
			Key     string
			Content json.RawMessage
		}
		f.must(dec.Decode(&e))
		live[e.Key] = string(e.Content)
	}
	const apart = "/untrusted/kb/fact" // no export has it
	if a := f.run("", "get", apart); a.exit == exitDone {
		live[apart] = strings.TrimSpace(a.stdout)
	}
	return live
}

// swallowed checks, of a command that met a fault and left with 0, that it did all of its work, or
// warned of what it did not do.
func (f *faulty) swallowed(what string, got reaction) {
	f.t.Helper()
	if out := f.written(); out != f.out {
		f.t.Errorf("%s: it leaves\n%s\nwant\n%s", what, out, f.out)
	}
	if !f.sound || got.stderr != "" {
		return
	}
	if a := f.run("", "fsck", "--now", aDayLater); a.exit != exitDone {
		f.t.Errorf("%s: exit 0 and not a word, and then fsck: %s%s", what, a.stdout, a.stderr)
	}
}

// written returns what is in the files outside the store.
func (f *faulty) written() string {
	var all strings.Builder
	filepath.WalkDir(f.outside("OUTSIDE/out"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			all.WriteString(path + "\n" + string(text))
		}
		return nil
	})
	return all.String()
}
