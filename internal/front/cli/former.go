package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/spf13/cobra"
)

// hiddenBeside says where the memories are that a .mem hides, and how they come here.
func hiddenBeside(root string, n int) advice.List {
	return advice.Say(memories(n) + " of this repository in " + root +
		", which .mem replaces").
		Also(takeIn(root).Then(" moves them here"))
}

// formerText says which memories are in such a store.
func formerText(one mem.FormerStore) string {
	common, _ := site.RepositoryOf(one.Root)
	return memories(one.Memories) + " of this repository, formerly " + worktree(common)
}

// takeIn returns the command that moves the memories of a store to the project.
func takeIn(root string) advice.List {
	return advice.Run("move", "--from", root, "--to", "project")
}

// hintFormer names the stores that have memories of the repository from former places.
func hintFormer(a *app, cmd *cobra.Command, former []mem.FormerStore) {
	for _, one := range former {
		a.advise(cmd, "hint", advice.Say(formerText(one)).
			Also(takeIn(one.Root).Then(" moves them here")))
	}
}

// worktree returns the directory that people know a repository by.
func worktree(common string) string {
	return strings.TrimSuffix(common, string(filepath.Separator)+".git")
}

func isGone(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}

// absolute returns the whole path of a root, as far as it can be known.
func absolute(root string) string {
	if path, err := site.Absolute(root); err == nil {
		return path
	}
	return root
}

// sayBeside says that the repository had memories before its .mem, which nothing reads now.
func sayBeside(a *app, cmd *cobra.Command) {
	root, n, err := a.layers.StoreBeside(cmd.Context(), caller)
	if err == nil && n > 0 && talks(a) {
		a.advise(cmd, "hint", hiddenBeside(root, n))
	}
}
