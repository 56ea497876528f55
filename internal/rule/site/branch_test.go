package site_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// The branch is that of the work tree, also of a linked one; a checked out commit has none.
func TestBranch(t *testing.T) {
	t.Parallel()
	home := realTemp(t)
	repo := filepath.Join(home, "repo")
	must(t, os.MkdirAll(filepath.Join(repo, "src"), 0o700))
	git(t, repo, "init", "-q", "-b", "feat/retries")
	git(t, repo, "commit", "-q", "--allow-empty", "-m", "1")
	git(t, repo, "worktree", "add", "-q", "-b", "fix/tax", filepath.Join(home, "tax"))
	git(t, repo, "worktree", "add", "-q", "--detach", filepath.Join(home, "detached"))
	getenv := func(name string) string {
		return map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(home, "data")}[name]
	}
	for dir, want := range map[string]string{
		"repo": "feat/retries", "repo/src": "feat/retries", "tax": "fix/tax", "detached": "",
		".": "",
	} {
		sites, err := site.Find("", filepath.Join(home, dir), getenv)
		must(t, err)
		if got := sites.Branch(); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
