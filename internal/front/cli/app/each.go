package app

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

// StoresFlag makes a verb of maintenance work on every store of this user.
type StoresFlag struct{ All bool }

func (e *StoresFlag) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.All, "all", false, "the user's store and those of all repositories")
	OfMachine(cmd, "all")
}

// Sites returns the stores that a verb of maintenance works on, each in turn.
func (e *StoresFlag) Sites(l *layers.Layers) ([]*site.Site, error) {
	if !e.All {
		return l.Sites.List(), nil
	}
	if l.Sites.One != nil {
		return nil, BadInput("--all", "it cannot be used with --root, MEM_ROOT or --layer", "")
	}
	var list []*site.Site
	if l.Sites.User != nil {
		list = append(list, l.Sites.User)
	}
	projects, err := l.Sites.Repositories()
	for i, one := range projects {
		if here := l.Sites.Project; here != nil && here.Root == one.Root {
			projects[i] = here // which knows its folder
		}
	}
	return append(list, projects...), err
}

// Title returns what to call a store where there are several.
func (e *StoresFlag) Title(one *site.Site, n int) string {
	switch {
	case n == 1 && !e.All:
		return ""
	case e.All && one.Layer == site.Project:
		return filepath.Base(one.Root)
	}
	return one.Layer
}

// Run calls fn with each store and what to call it. One that fails does not keep the others from
// their turn; the error is the worst.
func (e *StoresFlag) Run(a *App, cmd *cobra.Command,
	fn func(s *mem.Store, title string) error) error {
	return e.RunAt(a, cmd, func(s *mem.Store, _ *site.Site, title string) error {
		return fn(s, title)
	})
}

// RunAt is run for what also needs to know where each store is.
func (e *StoresFlag) RunAt(a *App, cmd *cobra.Command,
	fn func(s *mem.Store, site *site.Site, title string) error) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	sites, err := e.Sites(l)
	if err != nil {
		return err
	}
	var errs []error
	for _, site := range sites {
		s, err := l.Open(site)
		if err == nil {
			err = fn(s, site, e.Title(site, len(sites)))
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return worst(errs)
}

// worst returns the errors with the one of the highest exit code first. That an answer is no counts
// only where nothing else went wrong.
func worst(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	if failed := slices.DeleteFunc(slices.Clone(errs), isNo); len(failed) > 0 {
		slices.SortStableFunc(failed, func(a, b error) int {
			return cmp.Compare(exitCode(b), exitCode(a))
		})
		return join(failed)
	}
	return ErrNo
}

func isNo(err error) bool { return errors.Is(err, ErrNo) }

func exitCode(err error) int { return mem.KindOf(err).ExitCode() }

// join returns one error as it is, and several as one.
func join(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// Titled returns a line of a report that says which store it is about, where there are several.
func Titled(title, line string) string {
	if title == "" {
		return line
	}
	return title + ": " + line
}
