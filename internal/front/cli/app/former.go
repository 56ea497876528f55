package app

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// HiddenBeside says where the memories are that a .mem hides, and how they come here, or to the
// server that has the project's memory.
func HiddenBeside(l *layers.Layers, root string, n int) advice.List {
	where := " moves them here"
	if p := cmp.Or(l.Sites.Project, l.Sites.Served); p != nil && site.IsServed(p.Remote) {
		where = " moves them to the server"
	}
	return advice.Say(Memories(n) + " of this repository in " + root + ", which .mem replaces").
		Also(TakeIn(root).Then(where))
}

// TakeIn returns the command that moves the memories of a store to the project.
func TakeIn(root string) advice.List {
	return advice.Run("move", "--from", root, "--to", "project")
}

// LinkTo returns the command that lets a person choose a store in place of the one in use.
func LinkTo(id string) advice.List {
	return advice.Run("project", "link", id).Then(" shows both, and asks")
}

// MatchText says of a store that it may be of the repository here, without its name.
const MatchText = "another store may be of this repository"

// ApartText says of a repository that a store which is not in use there has its identity.
const ApartText = "its memories are apart from those of another store"

// SayMatch names at a terminal the store that may be of the repository here.
func (a *App) SayMatch(cmd *cobra.Command) {
	if !a.Explains() || a.IsHook || a.Served != nil || !policy.IsPerson(a.Caller) ||
		Terminal(cmd.ErrOrStderr()) == 0 {
		return
	}
	now, err := a.Clock()
	if err != nil || a.Layers == nil {
		return
	}
	match := a.Layers.NearestMatch(cmd.Context(), a.Caller, log.StampOf(now()))
	if match.ID != "" {
		a.Advise(cmd, "hint", advice.Say(MatchText).Also(LinkTo(match.ID)))
	}
}

// Worktree returns the directory that people know a repository by.
func Worktree(common string) string {
	return strings.TrimSuffix(common, string(filepath.Separator)+".git")
}

// IsGone reports whether nothing is at a path.
func IsGone(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}

// Absolute returns the whole path of a root, as far as it can be known.
func Absolute(root string) string {
	if path, err := site.Absolute(root); err == nil {
		return path
	}
	return root
}

// SayBeside says that the repository had memories before its .mem, which nothing reads now.
func (a *App) SayBeside(cmd *cobra.Command) {
	root, n, err := a.Layers.StoreBeside(cmd.Context(), a.Caller)
	if err == nil && n > 0 && a.Talks() {
		a.Advise(cmd, "hint", HiddenBeside(a.Layers, root, n))
	}
}
