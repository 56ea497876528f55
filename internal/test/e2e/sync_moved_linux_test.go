package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A purge that comes from another machine reaches the store that the memory was moved to meanwhile,
// in either direction; where the key there has another memory by now it is named.
func TestSyncedPurgeFollowsMoves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, from, to string
		again          bool // the moved memory is written over
	}{
		{"to the project", "user", "project", false},
		{"to the user", "project", "user", false},
		{"another memory since", "user", "project", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dest := filepath.Join(t.TempDir(), "depot")
			laptop, desk := newComputer(t), newComputer(t)
			for _, m := range []*computer{laptop, desk} {
				m.repository("shop", "https://example.com/x/shop.git")
				m.in("shop", "set", "/k/"+filepath.Base(m.home), "1", "-s", "chat", "-q")
			}
			laptop.in("shop", "set", "/k/place", `{"text":"Zanzibar"}`, "-s", "chat", "-q",
				"--layer", c.from)
			laptop.mem("sync", "init", "--yes", dest)
			desk.join(laptop, dest)
			for _, id := range strings.Fields(desk.mem("where", "--all", "--json", "--jq",
				".stores[].identity // empty")) {
				desk.mem("sync", "accept", "--yes", id[:8])
			}
			settle(t, laptop, desk)
			desk.in("shop", "move", "/k/place", "--to", c.to, "--yes")
			if c.again {
				desk.in("shop", "set", "/k/place", `{"text":"Lamu"}`, "-s", "chat", "-q",
					"--layer", c.to)
			}
			laptop.in("shop", "forget", "/k/place", "--purge", "--yes")
			laptop.mem("sync")
			out, err := desk.command("sync").CombinedOutput()
			isNamed := strings.Contains(string(out), "/k/place of ") &&
				strings.Contains(string(out), "may still hold a purged text")
			if err != nil || isNamed != c.again {
				t.Errorf("%v: %s", err, out)
			}
			settle(t, laptop, desk)
			for _, m := range []*computer{laptop, desk} {
				if left := grep(m.home, "Zanzibar"); (left != "") != c.again {
					t.Errorf("left in %q", left)
				}
				m.in("shop", "fsck")
			}
		})
	}
}

// repository makes a directory a repository with an origin, as far as mem looks at it.
func (c *computer) repository(name, origin string) {
	c.t.Helper()
	for file, text := range map[string]string{"objects/x": "", "refs/x": "",
		"HEAD": "ref: refs/heads/main\n", "config": "[remote \"origin\"]\n\turl = " + origin + "\n"} {
		path := filepath.Join(c.home, name, ".git", file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			c.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
}

// in runs mem in a directory of the machine.
func (c *computer) in(dir string, args ...string) string {
	c.t.Helper()
	cmd := c.command(args...)
	cmd.Dir = filepath.Join(c.home, dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("mem %v: %v: %s", args, err, out)
	}
	return string(out)
}
