package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/testkit"
)

// Clones of one repository are written to at once by processes of which some are killed: one store
// at most has the identity at any time, and one has it when all have written once more.
func TestIdentityUnderKills(t *testing.T) {
	t.Parallel()
	git, bin, home := testkit.Program(t, "git"), buildMem(t), t.TempDir()
	const clones = 4
	rounds := testkit.Extent(1, 3, 100)
	for round := range rounds {
		origin := fmt.Sprintf("https://example.com/acme/shop%d.git", round)
		write := func(i int) *exec.Cmd {
			cmd := exec.Command(filepath.Join(bin, "mem"), "note", fmt.Sprint("note ", i), "-q")
			cmd.Dir = filepath.Join(home, fmt.Sprintf("clone-%d-%d", round, i))
			cmd.Env = sessionEnv(bin, home, "2026-02-22T10:00:00Z")
			return cmd
		}
		for i := range clones {
			out, err := exec.Command(git, "init", "-q", write(i).Dir).CombinedOutput()
			if err == nil {
				out, err = exec.Command(git, "-C", write(i).Dir, "remote", "add", "origin",
					origin).CombinedOutput()
			}
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		var all sync.WaitGroup
		for i := range clones {
			all.Go(func() {
				cmd := write(i)
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				kill := time.AfterFunc(time.Duration(2+i*3+round%7)*time.Millisecond, func() {
					_ = cmd.Process.Kill()
				})
				_ = cmd.Wait()
				kill.Stop()
			})
		}
		all.Wait()
		for i := range clones {
			all.Go(func() {
				if out, err := write(i).CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		all.Wait()
	}
	ids, err := site.StoresByIdentity(filepath.Join(home, ".local", "share"))
	if err != nil || len(ids) != rounds {
		t.Errorf("%d identities of %d repositories, %v", len(ids), rounds, err)
	}
	have := 0
	sites := site.Sites{Projects: filepath.Join(home, ".local", "share", "mem-projects")}
	stores, err := sites.Repositories()
	for _, one := range stores {
		if one.Identity() != "" {
			have++
		}
		if !strings.HasPrefix(filepath.Base(one.Root), "clone-") {
			t.Errorf("%s", one.Root)
		}
	}
	if err != nil || have != rounds || len(stores) != rounds*clones {
		t.Errorf("%d of %d stores have an identity, %v", have, len(stores), err)
	}
	fsck := exec.Command(filepath.Join(bin, "mem"), "fsck", "--all") // no waiting for the dead
	fsck.Env = sessionEnv(bin, home, "2026-02-22T10:00:00Z")
	if out, err := fsck.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
