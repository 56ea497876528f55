package stores

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

// searched returns the one store whose repository on this machine has a first commit of the one
// here. It runs git, which only a person's word may start.
func (o *projectOptions) searched(a *app.App, cmd *cobra.Command, l *layers.Layers) (
	string, error) {
	if err := policy.CheckPerson(a.Caller, policy.Link); errors.Is(err, policy.ErrPerson) {
		return "", err
	}
	roots, err := firstCommits(cmd.Context(), l.Sites.Project.Repo.Common)
	if err != nil {
		return "", app.Verdict(mem.KindNo, "project link: "+err.Error(),
			advice.Run("where", "--all").Then(" lists the stores"))
	}
	stores, err := l.Sites.Repositories()
	if err != nil {
		return "", err
	}
	var ids []string
	for _, one := range stores {
		common, _ := site.RepositoryOf(one.Root) // an unreadable record names none
		if one.Root == l.Sites.Project.Root || common == l.Sites.Project.Repo.Common ||
			common == "" || one.IsLeft() {
			continue
		}
		others, _ := firstCommits(cmd.Context(), common) // one that is gone has none
		if slices.ContainsFunc(others, func(c string) bool { return slices.Contains(roots, c) }) {
			ids = append(ids, one.ID())
		}
	}
	return o.only(l, ids, "no other repository on this machine has a first commit of this one",
		advice.Run("where", "--all").Then(" lists the stores"))
}

var errShallow = errors.New("a shallow clone does not know its first commit")

// firstCommits returns the commits without a parent from which the HEAD of a repository descends.
// What its configuration names is not run: nothing is fetched.
func firstCommits(ctx context.Context, common string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(common, "shallow")); err == nil {
		return nil, errShallow
	}
	git := exec.CommandContext(ctx, "git", "--git-dir="+common, "rev-list", "--max-parents=0",
		"HEAD", "--")
	git.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0")
	git.Dir = string(filepath.Separator)
	out, err := git.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("there is no git program")
	}
	if err != nil {
		return nil, errors.New("git knows no first commit here")
	}
	return strings.Fields(string(out)), ctx.Err()
}
