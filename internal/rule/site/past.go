package site

import (
	"path/filepath"
	"slices"
	"strings"
)

// maxPast is how many identities a record keeps; of more the oldest go.
const maxPast = 64

// withPast returns a list of identities with one more behind those that it has; anything but an
// identity, and one that the list has, changes nothing.
func withPast(past, identity string) string {
	if !IsIdentity(identity) || strings.Contains(past, identity) {
		return past
	}
	list := append(strings.Fields(past), identity)
	return strings.Join(list[max(0, len(list)-maxPast):], " ")
}

// withPresent returns a list of identities with the present one as its last.
func withPresent(past, identity string) string {
	if !IsIdentity(identity) {
		return past
	}
	list := slices.DeleteFunc(strings.Fields(past), func(id string) bool { return id == identity })
	return withPast(strings.Join(list, " "), identity)
}

// present returns the present identity of the repository of a record; "" for none.
func (r repository) present() string {
	return r.past[strings.LastIndexByte(r.past, ' ')+1:]
}

// allPast returns the identities of a record, those of one of an older build too.
func (r repository) allPast() string {
	past := withPast(withPast(withPast("", r.former), r.identity), r.claim)
	if r.past != "" {
		past = r.past
		for _, id := range [...]string{r.former, r.identity, r.claim} {
			if id != "" && !strings.Contains(past, id) {
				past = withPresent(withPast(past, id), r.present())
			}
		}
	}
	return past
}

// Identities returns the identities that the repository has had, the present one last.
func (s *Site) Identities() []string {
	r, _ := readRepository(s.Root) // an unreadable record has none
	return r.identities()
}

func (r repository) identities() []string { return strings.Fields(r.allPast()) }

// AddIdentities adds identities to the record of a store beside the user's, which other machines or
// another repository know its project by. Of a store that has no path here the last one counts as
// the present one. A crash leaves the old record or the new one.
func AddIdentities(root string, identities []string) error {
	was, err := readRepository(root)
	if err != nil || was.with(identities) == was {
		return err
	}
	return withRecords(filepath.Dir(root), func() error {
		was, err := readRepository(root)
		if now := was.with(identities); err == nil && now != was {
			err = now.write(root)
		}
		return err
	})
}

func (r repository) with(identities []string) repository {
	r.past = r.allPast()
	now := r.present()
	if r.common == "" && len(identities) > 0 {
		now = identities[len(identities)-1]
	}
	for _, id := range identities[:min(len(identities), maxPast)] {
		r.past = withPast(r.past, id)
	}
	r.past = withPresent(r.past, now)
	return r
}

// IsLeft reports whether the repository of a store uses another one now, to which a person has
// linked it: nobody reads or writes here.
func (s *Site) IsLeft() bool {
	r, _ := readRepository(s.Root) // an unreadable record leads nowhere
	return r.linkedBeside(s.Root) != ""
}
