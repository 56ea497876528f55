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
	"github.com/spf13/cobra"
)

// HiddenBeside says where the memories are that a .mem hides, and how they come here, or to the
// server that has the project's memory.
func HiddenBeside(l *layers.Layers, root string, n int) advice.List {
	hidden := advice.Say(Memories(n) + " of this repository in " + root + ", which .mem replaces")
	if p := cmp.Or(l.Sites.Project, l.Sites.Served); p == nil || !site.IsServed(p.Remote) {
		return hidden.Also(TakeIn(root).Then(" moves them here"))
	}
	return hidden.Also(advice.Shell("mem --root " + advice.Quote(root) +
		" export > memories.jsonl; mem import memories.jsonl").
		Then(" takes them to the server, with a person's token"))
}

// FormerText says which memories are in such a store.
func FormerText(one layers.FormerStore) string {
	common, _ := site.RepositoryOf(one.Root)
	return Memories(one.Memories) + " of this repository, formerly " + Worktree(common)
}

// TakeIn returns the command that moves the memories of a store to the project.
func TakeIn(root string) advice.List {
	return advice.Run("move", "--from", root, "--to", "project")
}

// HintFormer names the stores that have memories of the repository from former places.
func (a *App) HintFormer(cmd *cobra.Command, former []layers.FormerStore) {
	for _, one := range former {
		a.Advise(cmd, "hint", advice.Say(FormerText(one)).
			Also(TakeIn(one.Root).Then(" moves them here")))
	}
}

// askClaimed names to a person at a terminal, once, the store that has the identity of the
// repository here, where that is another one. Two verbs show it themselves.
func (a *App) askClaimed(cmd *cobra.Command, sites site.Sites) {
	if !a.Explains() || a.IsHook || Terminal(cmd.ErrOrStderr()) == 0 ||
		!policy.IsPerson(a.Caller) ||
		cmd.Name() == "where" || cmd.Name() == "project" {
		return
	}
	if _, root := sites.Claimed(); root != "" {
		asked := site.Conversation("link", sites.Project.Repo.Common+"\x00"+root)
		if first, _ := sites.Book.SetOff(asked, true); first {
			a.Advise(cmd, "hint", advice.Say("the store "+filepath.Base(root)+
				" has the identity of this repository").
				Also(advice.Run("project", "link").Then(" uses it here")))
		}
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
