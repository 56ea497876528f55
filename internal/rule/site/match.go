package site

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Match is a store beside the user's that may be of the repository here, and is not in use here.
type Match struct {
	*Site
	ID string // names the store for [Sites.Link] to a person, and no project
	// Sure is whether the store has the present identity of the repository: then it is one of it
	// even if it has no memories.
	Sure bool
	// Own is whether it is the repository's own store, though that is linked: what a crash, or a
	// process that began before the link, has left there. ID is that of the store in use.
	Own bool
}

// How a store matches, the closest first.
const (
	byIdentity = iota + 1 // it has the present identity of the repository
	byPresent             // its repository, which is not here, has it now
	byPlace               // it is of this directory, or another clone of the origin, that is gone
	byPast                // they have had one identity
	byLink                // it is the repository's own store
)

// Matches returns the stores that may be of the repository here, and are not in use here. Only
// their records are read. An identity of before counts only where the repository of the store is
// gone, or the one here has no memories, which isEmpty reports: clones of one template have had its
// origin, too. A match opens nothing: a person decides ([Sites.Link]).
func (s *Sites) Matches(isEmpty func() bool) (list []Match, err error) {
	p := s.Project
	if p == nil || p.Dot || p.Repo == nil || p.Repo.Common == "" {
		return nil, nil
	}
	own, was := ownStore(filepath.Dir(s.Projects), *p.Repo)
	here := was
	if !was.isCurrent(p.Repo.Common) {
		now, err := identify(p.Repo.Common)
		if err != nil {
			return nil, err
		}
		here, _ = now.over(was)
	}
	all, err := s.Repositories()
	how := map[string]int{}
	for _, one := range all {
		r, unread := readRepository(one.Root) // an unreadable record names nobody
		match := Match{Site: one, ID: r.id(one.Root)}
		switch {
		case one.Root == p.Root || unread != nil:
			continue
		case one.Root == own:
			how[own], match.Own, match.ID = byLink, true, p.ID()
		case r.linkedBeside(one.Root) == "":
			how[one.Root] = r.matches(here, isEmpty)
		}
		match.Sure = how[one.Root] == byIdentity
		if how[one.Root] > 0 {
			list = append(list, match)
		}
	}
	slices.SortStableFunc(list, func(a, b Match) int {
		return cmp.Compare(how[a.Root], how[b.Root])
	})
	return list, err
}

// matches returns how a record may be of the repository here; 0: not at all.
func (r repository) matches(here repository, isEmpty func() bool) int {
	now := here.present()
	had := func(id string) bool { return strings.Contains(r.allPast(), id) }
	switch {
	case now != "" && r.identity == now:
		return byIdentity
	case now != "" && r.common == "" && r.present() == now:
		return byPresent
	case r.isFormerOf(here):
		return byPlace
	case slices.ContainsFunc(here.identities(), had) && (r.isGone(here) || isEmpty()):
		return byPast
	}
	return 0
}

// isGone reports whether the repository of a record is no more where it was: it is elsewhere, here,
// or deleted. A store without a path has none that could be gone.
func (r repository) isGone(here repository) bool {
	if r.common == "" {
		return false
	}
	real, err := realPath(r.common)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	return real == here.common || r.isReplaced()
}

// isFormerOf reports whether a description is of the repository here at a place where that is no
// more, or may be of it before it lost its origin.
func (r repository) isFormerOf(here repository) bool {
	if r.common == here.common {
		return here.origin == ""
	}
	return r.isSameAs(here) && r.isGone(here)
}

// id returns the digits that name a store: of its identity, or else of its directory.
func (r repository) id(root string) string {
	if r.identity != "" {
		return r.identity[:min(len(r.identity), idDigits)]
	}
	return dirDigits(root)
}

// idDigits is how many digits name a store.
const idDigits = 8

func dirDigits(root string) string {
	name := filepath.Base(root)
	digits := name[strings.LastIndexByte(name, '-')+1:]
	return digits[:min(len(digits), idDigits)]
}

// ID returns the digits by which people name a store beside the user's.
func (s *Site) ID() string {
	r, _ := readRepository(s.Root) // an unreadable record has no identity
	return r.id(s.Root)
}

// WithID returns the stores beside the user's that digits name, at least eight: those with this
// identity or, without one, in a directory with these digits.
func (s *Sites) WithID(digits string) (list []*Site, err error) {
	digits = strings.ToLower(digits)
	all, err := s.Repositories()
	if len(digits) < idDigits {
		return nil, err
	}
	for _, one := range all {
		if strings.HasPrefix(one.Identity(), digits) {
			list = append(list, one)
		}
	}
	for _, one := range all {
		if len(list) == 0 && dirDigits(one.Root) == digits {
			return append(list, one), err
		}
	}
	return list, err
}
