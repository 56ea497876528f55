package e2e

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Machines exchange with one depot at the same moment, purge, and meet the purges of others, while
// segments that some have listed are replaced by others. All are well, and nothing purged is left.
func TestSyncsAtOnce(t *testing.T) {
	t.Parallel()
	dest := filepath.Join(t.TempDir(), "depot")
	machines := []*computer{newComputer(t), newComputer(t), newComputer(t), newComputer(t)}
	for i, c := range machines {
		c.mem("set", fmt.Sprintf("/user/first%d", i), `"first"`, "-s", "chat", "-q")
	}
	machines[0].mem("sync", "init", "--yes", dest)
	for _, c := range machines[1:] {
		c.join(machines[0], dest)
	}
	const rounds = 8
	var purged []string
	for round := range rounds {
		for i, c := range machines {
			c.mem("set", fmt.Sprintf("/user/k%d", i), fmt.Sprintf(`"text-%d-%d-here"`, round, i), "-s",
				"chat", "-q")
		}
		if round%2 == 1 {
			i := round / 2 % len(machines)
			machines[i].mem("forget", "--purge", "--yes", fmt.Sprintf("/user/k%d", i))
			for r := range round + 1 {
				purged = append(purged, fmt.Sprintf("text-%d-%d-here", r, i))
			}
		}
		cmds := make([]*exec.Cmd, len(machines))
		for i, c := range machines {
			cmds[i] = c.command("sync", "-q")
			cmds[i].Stderr = os.Stderr
			if err := cmds[i].Start(); err != nil {
				t.Fatal(err)
			}
		}
		for i, cmd := range cmds {
			if err := cmd.Wait(); err != nil {
				t.Errorf("round %d, machine %d: %v", round, i, err)
			}
		}
	}
	settle(t, machines...)
	for i, c := range machines {
		if got, want := strings.Count(c.memories(), "\n"), strings.Count(machines[0].memories(),
			"\n"); got != want || got < 4 {
			t.Errorf("machine %d has %d memories, want %d", i, got, want)
		}
		for _, text := range purged {
			if in := grep(filepath.Join(c.home, ".local/share"), text); in != "" {
				t.Errorf("machine %d: %s was purged, and is in %s", i, text, in)
			}
		}
	}
	if in := grep(dest, "text-"); in != "" {
		t.Errorf("plain text is in %s", in)
	}
}

// A machine with another key writes nothing, neither at the depot nor in its memory; it says so.
func TestSyncWithAnotherKey(t *testing.T) {
	t.Parallel()
	dest, other := filepath.Join(t.TempDir(), "depot"), filepath.Join(t.TempDir(), "other")
	one, two := newComputer(t), newComputer(t)
	one.mem("set", "/user/a", "1", "-s", "chat", "-q")
	one.mem("sync", "init", "--yes", dest)
	two.join(one, dest)
	two.mem("sync", "init", "--yes", other)
	stranger := newComputer(t)
	stranger.mem("sync", "init", "--yes", filepath.Join(t.TempDir(), "third"))
	const key = ".local/state/mem/sync/key"
	text, err := os.ReadFile(filepath.Join(stranger.home, key))
	if err := cmp.Or(err, os.WriteFile(filepath.Join(two.home, key), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	one.mem("set", "/user/b", "2", "-s", "chat", "-q")
	one.mem("sync")
	two.mem("set", "/user/c", "3", "-s", "chat", "-q")
	tree := func() string {
		out, err := exec.Command("find", dest, two.home, "-type", "f", "-not", "-name",
			"places.*", "-printf", "%p %s %T@\n").Output() // that has the fault
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	before := tree()
	if _, err := two.try("sync"); err == nil || !strings.Contains(err.Error(), "another key") {
		t.Errorf("%v", err)
	}
	if after := tree(); after != before {
		t.Errorf("it wrote: %s\nbefore: %s", after, before)
	}
}
