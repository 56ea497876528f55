package site

import (
	"path/filepath"

	"github.com/set-memory/mem/internal/base/advice"
)

// UntrustedError is the refusal of a .mem that nobody let in.
type UntrustedError struct{ Root string }

func (e *UntrustedError) Error() string { return e.Root + ": it is not trusted" }

// Kind is that of a refusal; see mem.KindOf.
func (e *UntrustedError) Kind() string { return "refused" }

// Advice returns how it is let in.
func (e *UntrustedError) Advice() advice.List {
	return advice.Run("trust", filepath.Dir(e.Root)).Then(" shows what it has, and trusts it")
}

// OwnLayer returns the layer of one of this person's stores, the user's or that of a repository
// beside it; "" for every other root.
func (s *Sites) OwnLayer(root string) string {
	real, err := realPath(root)
	switch {
	case err != nil:
	case s.Home != "" && real == realDir(s.Home):
		return User
	case s.Projects != "" && filepath.Dir(real) == realDir(s.Projects):
		return Project
	}
	return ""
}

// Source returns the store at a root that memories are taken from. It is believed as its place is:
// one of this person's own as it is, a .mem as the book says, and any other as if it had come with
// a repository. The error is an *UntrustedError for a .mem that nobody let in.
func (s *Sites) Source(root string) (*Site, error) {
	real, err := realPath(root)
	switch {
	case IsRemote(root) || err != nil || s.OwnLayer(root) != "":
		return &Site{Root: root}, nil
	case filepath.Base(real) != DotDir:
		return &Site{Layer: Project, Root: root, Dot: true, Repo: &Repo{}}, nil
	}
	grant, ok, err := s.Book.Look(real)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &UntrustedError{real}
	}
	one := s.SiteAt(real)
	one.Grant = &grant
	return one, nil
}
