package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

// workplace is a project at a machine, where edits of files bring memories.
type workplace struct {
	*computer
	project string
	named   int // memories that name a file, in all lookups
}

func newWorkplace(t *testing.T) *workplace {
	c := newComputer(t)
	c.home = storetest.Dir(t) // of a short path
	e := &workplace{computer: c, project: filepath.Join(c.home, "shop")}
	for _, args := range [][]string{{"init", "-q", e.project},
		{"-C", e.project, "remote", "add", "origin", "https://example.com/shop.git"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return e
}

// run runs a line of a shell in the project.
func (e *workplace) run(line string) {
	e.t.Helper()
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir, cmd.Env = e.project, e.command().Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		e.t.Fatalf("%s: %v: %s", line, err, out)
	}
}

// isRight checks that the lookup of each file finds in each store what a scan of all live memories
// does.
func (e *workplace) isRight(after string) {
	e.t.Helper()
	logs, err := filepath.Glob(filepath.Join(e.home, ".local/share/mem-projects/*/log.jsonl"))
	if err != nil {
		e.t.Fatal(err)
	}
	for _, name := range append(logs, filepath.Join(e.home, ".local/share/mem/log.jsonl"),
		filepath.Join(e.home, "copied/log.jsonl")) {
		s, err := filestore.Open(filepath.Dir(name), filestore.Options{Now: time.Now})
		if err != nil {
			e.t.Fatal(err)
		}
		for n := range 9 {
			file := fmt.Sprintf("src/f%d.go", n)
			e.sameFound(s, backend.NewNaming(file, filepath.Join(e.project, file)),
				after+": "+file+" in "+name)
		}
		if err := s.Close(); err != nil {
			e.t.Fatal(err)
		}
	}
}

// sameFound is isRight of one file in one store.
func (e *workplace) sameFound(s *filestore.Store, naming *backend.Naming, what string) {
	e.t.Helper()
	found, err := s.Match(e.t.Context(), naming, backend.Where{}, 100)
	if err != nil {
		e.t.Fatal(err)
	}
	got, want := map[string]string{}, map[string]string{}
	for _, rec := range found {
		got[rec.Key.String()] = string(rec.Line)
	}
	for rec, err := range s.ScanBelow(e.t.Context(), keypath.Prefix{}) {
		if err != nil {
			e.t.Fatal(err)
		}
		if _, named := naming.Share(rec); named {
			want[rec.Key.String()] = string(rec.Line)
		}
	}
	e.named += len(want)
	storetest.Same(e.t, what, got, want)
}

// After every verb that writes, with and without a compaction, an edit brings the memories that a
// scan of all live ones finds: the last compaction and its sidecars decide nothing.
func TestEditsFindAll(t *testing.T) {
	t.Parallel()
	for _, compacts := range []bool{false, true} {
		a, b := newWorkplace(t), newWorkplace(t)
		depot := filepath.Join(t.TempDir(), "depot")
		stick := filepath.Join(t.TempDir(), "stick")
		all := filepath.Join(t.TempDir(), "all.tar")
		step := func(e *workplace, line string) {
			e.run(line)
			e.isRight(line)
			e.run("mem fsck")
			if compacts {
				e.run("mem compact -q")
				e.isRight(line + ", compacted")
			}
		}
		for n := range 5 {
			step(a, fmt.Sprintf("mem note 'src/f%d.go rounds up' -q", n))
		}
		step(a, "mem sync init --yes -q "+depot)
		step(a, "mem sync -q")
		step(b, "mem note 'src/f8.go is of another machine' -q")
		b.join(a.computer, depot)
		step(b, "mem sync -q; mem sync accept --yes -q $(mem where | sed -n 's/.*identity //p'); "+
			"mem sync -q")
		step(b, "mem forget m-2 -q; mem note 'src/f5.go rounds down' -q")
		step(b, "mem sync -q")
		step(a, "mem forget m-4 --purge --yes -q; mem sync -q")
		step(b, "mem sync -q")
		step(a, "mem sync -q")
		step(a, "mem set /src/six '{\"text\":\"src/f6.go is old\"}' -s me -q")
		step(a, "mem undo --last -q; mem undo /src/six -q")
		step(a, "mem mv /src/six /src/6 -q")
		step(a, "mem move /src/6 --to user -q; mem move /src/6 --to project -q")
		step(a, "mem move /src/6 --to user -q; mem undo --last -q")
		step(a, "mem merge m-3 m-5 --into /src/both -q")
		step(a, "mem export --all-layers --all --out "+all)
		step(b, "mem import --mine --yes -q "+all)
		step(a, "mem backup --yes -q "+stick)
		step(b, "mem sync -q")
		c := newWorkplace(t)
		for _, from := range []string{"sync", "backup"} {
			key := filepath.Join(".local/state/mem", from, "key")
			data, err := os.ReadFile(filepath.Join(a.home, key))
			if err != nil {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(c.home, key)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(c.home, key), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		step(c, "mem restore --yes -q "+stick)
		d := newWorkplace(t)
		step(d, "mem note 'src/f7.go is new' -q; mem forget m-1 --purge --yes -q; "+
			"mem copy -q "+a.home+"/.local/share/mem-projects/* "+d.home+"/copied")
		d.env = append(d.env, "MEM_ROOT="+d.home+"/copied")
		step(d, "mem note 'src/f8.go is copied' -q")
		step(d, "mem fsck --repair -q")
		for i, e := range []*workplace{a, b, c, d} {
			if e.named < 5 {
				t.Errorf("machine %d had %d memories to find", i, e.named)
			}
		}
	}
}
