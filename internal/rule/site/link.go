package site

import (
	"path/filepath"
)

// kept is a store whose record a link changes.
type kept struct {
	root string
	repository
}

// Link makes the repository here use another store beside the user's, whatever the identity of
// that, and ends an earlier link where that is its own. It returns the roots of the stores that the
// repository leaves: its own, and the one that it was linked to unless that is of another
// repository. Their records lead on to the new one. A return to the own store leaves none.
//
// The store keeps its identity, or gets the one of a store that is left; it is known by all
// identities of the repository, and takes its path where it has none, or one that is gone. After a
// crash the repository uses the store that it used, and the same call makes all right.
func (s *Sites) Link(root string) (left []string, err error) {
	here, err := identify(s.Project.Repo.Common)
	if err != nil {
		return nil, err
	}
	err = withRecords(s.Projects, func() error {
		own, olds := s.leaving(here, root)
		if len(olds) == 0 {
			own.link = ""
			return own.write(own.root)
		}
		for _, old := range olds {
			left = append(left, old.root)
		}
		return here.follow(root, olds)
	})
	return left, err
}

// Leaves returns the roots of the stores that [Sites.Link] would leave.
func (s *Sites) Leaves(root string) (left []string, err error) {
	here, err := identify(s.Project.Repo.Common)
	_, olds := s.leaving(here, root)
	for _, old := range olds {
		left = append(left, old.root)
	}
	return left, err
}

// leaving returns the repository's own store, and those that it leaves for another.
func (s *Sites) leaving(here repository, root string) (own kept, olds []kept) {
	data := filepath.Dir(s.Projects)
	path, was := ownStore(data, *s.Project.Repo)
	now, _ := here.over(was)
	own = kept{path, now}
	if root == path {
		return own, nil
	}
	olds = []kept{own}
	if used := ownRoot(data, *s.Project.Repo); used != path && used != root {
		r, err := readRepository(used)
		if err == nil && (r.common == "" || r.isGone(now)) {
			olds = append(olds, kept{used, r})
		}
	}
	return own, olds
}

// follow makes the store at root the one that a repository uses after some others.
func (r repository) follow(root string, olds []kept) error {
	to, err := readRepository(root)
	if err != nil {
		return err
	}
	for _, old := range olds {
		if to.identity == "" {
			to.identity, to.former = old.identity, old.former
		}
	}
	now := olds[0].repository
	if to.common == "" || to.isGone(now) {
		to.common, to.origin, to.directory = "", "", ""
		to, _ = r.over(to)
	}
	for _, old := range olds {
		to.past = to.with(old.identities()).past
	}
	to.link = ""
	if err := to.write(root); err != nil {
		return err
	}
	for i := range olds { // its own as the last: with that the link counts
		old := olds[len(olds)-1-i]
		if old.link = filepath.Base(root); old.identity == to.identity {
			old.identity, old.former = "", ""
		}
		if err := old.write(old.root); err != nil {
			return err
		}
	}
	return nil
}
