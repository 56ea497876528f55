package policy

import (
	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/keypath"
)

// Audience is who may see what lies in a namespace without asking for a key by its name.
type Audience int

// From everybody to nobody.
const (
	Everybody Audience = iota
	Nobody             // only a caller that names the key, or lists the namespace
)

// Namespace is one row of the table of namespaces: what is special below a prefix.
type Namespace struct {
	Prefix   string
	Audience Audience
	Verbs    []string // that write it; none: all do
}

// Namespaces returns the table. Keys that no row names are for everybody.
func Namespaces() []Namespace {
	return []Namespace{
		{Prefix: keypath.Untrusted, Audience: Nobody,
			Verbs: []string{"set", "import", "approve", "reject", "rm"}},
	}
}

// Visible reports whether a read, a search or an export may show a key to a caller by itself
// (M-18). It is the only rule of what is hidden: the class of each row in columns and full text is
// by it.
func Visible(_ backend.Caller, key keypath.Key) bool {
	if !key.Untrusted() {
		return true
	}
	for _, ns := range Namespaces() {
		if p, err := keypath.ParsePrefix(ns.Prefix); err == nil && p.Holds(key) {
			return ns.Audience == Everybody
		}
	}
	return true
}
