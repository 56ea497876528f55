package app

import (
	"os"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/readout"
)

// Remark returns the function that compares the files of memories with the working directory.
func (a *App) Remark() readout.Remark {
	var tree *moved.Tree // most pages have no memory with files
	return func(layer string, files []content.File) string {
		if len(files) == 0 {
			return ""
		}
		if tree == nil {
			here := a.Tree(nil)
			tree = &here
		}
		return tree.Remark(layer, files)
	}
}

// Tree returns the folder whose files the memories of a store are about, as seen from the working
// directory; nil: of the stores that are read together.
func (a *App) Tree(one *site.Site) moved.Tree {
	if a.Served != nil {
		return moved.Tree{}
	}
	dir, err := os.Getwd()
	sites, failed := site.Find(a.Root, "", a.Getenv)
	switch {
	case err != nil || failed != nil:
		return moved.Tree{}
	case one == nil:
		return moved.TreeHere(&sites, dir)
	}
	return moved.NewTree(&sites, one, dir)
}
