package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// twoStores is a home with a project.
type twoStores struct {
	t         *testing.T
	bin, home string
}

func newTwoStores(t *testing.T, bin string) *twoStores {
	w := &twoStores{t, bin, storetest.Dir(t)}
	for _, dir := range []string{"refs", "objects"} {
		if err := os.MkdirAll(filepath.Join(w.home, "app", ".git", dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	head := filepath.Join(w.home, "app", ".git", "HEAD")
	if err := os.WriteFile(head, []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.mem("set", "/p/a", `{"text":"a"}`, "-s", "t", "-q")
	w.mem("set", "/user/a", `{"text":"b"}`, "-s", "t", "-q")
	return w
}

func (w *twoStores) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.bin, args...)
	cmd.Dir, cmd.Env = filepath.Join(w.home, "app"), []string{"HOME=" + w.home, "GOMAXPROCS=2",
		"PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + w.home}
	return cmd
}

// mem runs a command, which has to succeed, and returns what it prints.
func (w *twoStores) mem(args ...string) string {
	w.t.Helper()
	var out, failed bytes.Buffer
	cmd := w.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("mem %v: %v: %s%s", args, err, out.String(), failed.String())
	}
	return out.String()
}

// live returns the memories of each layer.
func (w *twoStores) live() string {
	list := ""
	for _, layer := range []string{"user", "project"} {
		for line := range strings.Lines(w.mem("ls", "--json", "--layer", layer, "--jq",
			".memories[] | .key + \" \" + .summary")) {
			list += layer + " " + line
		}
	}
	return list
}

// An undo of what was written to two stores is killed before each system call that changes the
// disk: the next undo takes the rest back, another one brings all of it again, and all of it goes
// once more.
func TestUndoOfTwoStoresIsKilled(t *testing.T) {
	t.Parallel()
	err := tracing()
	testkit.Need(t, err == nil, fmt.Sprintf("processes cannot be traced here: %v", err))
	bin := filepath.Join(buildMem(t), "mem")
	for _, args := range [][]string{{"forget", "/p/a", "/user/a"},
		{"move", "/user/a", "--to", "project"}} {
		kills, halves, step := 0, 0, testkit.Extent(9, 3, 1)
		for n := testkit.First(t, step); ; n += step {
			w := newTwoStores(t, bin)
			before := w.live()
			w.mem(args...)
			after := w.live()
			_, last, exit, err := traceKill(w.command("undo", "--last"), n)
			if err != nil {
				t.Fatal(err)
			}
			if exit >= 0 {
				break
			}
			kills++
			half := w.live()
			if half != before && half != after {
				halves++
			}
			if args[0] == "move" && !strings.Contains(half, "/user/a ") {
				t.Errorf("killed before call %d (%s): the memory is in neither store", n, last)
			}
			for i, want := range []string{before, after, before} {
				w.mem("undo", "--last")
				got := w.live()
				if i == 0 && half == before && got == after {
					break // it had come to its end
				}
				if got != want {
					t.Fatalf("%s, killed before call %d (%s), undo %d: %s, want %s", args[0], n,
						last, i+1, got, want)
				}
			}
			w.mem("fsck")
		}
		t.Logf("%s: %d kills, %d of them between the appends", args[0], kills, halves)
		if kills < testkit.Extent(2, 8, 8) || testkit.Extent(false, true, true) && halves == 0 {
			t.Errorf("%s: too few kills", args[0])
		}
	}
}
