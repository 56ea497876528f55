package policy

import (
	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
)

// Audience is who is shown what is in a namespace without naming a key of it.
type Audience int

// From everybody to nobody.
const (
	Everybody Audience = iota
	Nobody
)

// Namespace is one row of the table of namespaces: what is special about the keys of a class.
type Namespace struct {
	Class    keypath.Class
	Prefixes []string
	Audience Audience
}

// Namespaces returns the table. Keys that no row is for are open to everybody.
func Namespaces() []Namespace {
	return []Namespace{
		{Class: keypath.Quarantined, Prefixes: []string{keypath.Untrusted}, Audience: Nobody},
		{Class: keypath.Personal, Prefixes: keypath.PersonalPrefixes(), Audience: Everybody},
		{Class: keypath.Session, Prefixes: []string{keypath.SessionNotes}, Audience: Everybody},
	}
}

// Classes returns the classes besides the open one that a caller is shown by itself, for the
// conditions of a read or a search.
func Classes(_ backend.Caller) (set backend.Classes) {
	for _, ns := range Namespaces() {
		if ns.Audience == Everybody {
			set = set.With(ns.Class)
		}
	}
	return set
}

// Visible reports whether a read, a search, an export or a count shows a memory to a caller by
// itself (M-18). A backend filters by the same table, see [Classes]. Package readout refuses what
// is quarantined once more, whoever asks: a page goes into a prompt.
func Visible(c backend.Caller, key keypath.Key, _ content.Fields) bool {
	return backend.Where{Classes: Classes(c)}.Shows(key.Class())
}
