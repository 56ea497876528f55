package testkit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// Programs are programs of this module, as mem, that the tests of a package start.
type Programs struct {
	packages []string
	build    func() (dir string, err error)
	dir      string
}

// NewPrograms returns those of packages like ./cmd/mem, which are built when a test first needs
// them.
func NewPrograms(ldflags string, packages ...string) *Programs {
	p := &Programs{packages: packages}
	p.build = sync.OnceValues(func() (dir string, err error) {
		if p.dir, err = os.MkdirTemp(diskPlace(), "mem_built_"); err == nil {
			err = Build(p.dir, ldflags, packages...)
		}
		return p.dir, err
	})
	return p
}

// In returns the directory of the programs.
func (p *Programs) In(t testing.TB) string {
	t.Helper()
	Sources(t, p.packages...)
	dir, err := p.build()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Remove removes the directory, if there is one: when all tests are done.
func (p *Programs) Remove() {
	if p.dir != "" {
		_ = os.RemoveAll(p.dir) // the rest lies among temporary files
	}
}

// Mem returns the path of mem, for the one test of a package that starts it.
func Mem(t testing.TB) string {
	t.Helper()
	const name = "github.com/set-memory/mem/cmd/mem"
	Sources(t, name)
	dir := OnDisk(t)
	if err := Build(dir, "", name); err != nil {
		t.Fatal(err)
	}
	return dir + "/mem"
}

// Build puts the programs of packages into a directory. What "go run" has linked stays in the build
// cache, unlike what "go build" has: so the tests of several packages link a program once, and
// again when its sources have changed. On a disk the directory saves a quarter of what a start of
// a program costs: its pages are mapped in greater parts than those of files in memory.
func Build(dir, ldflags string, packages ...string) error {
	var all error
	for _, name := range packages {
		cmd := exec.Command("go", "run", "-trimpath", "-ldflags="+ldflags, "-exec=cp", name, dir)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			all = errors.Join(all, fmt.Errorf("go run %s: %w\n%s", name, err, out))
		}
	}
	return all
}
