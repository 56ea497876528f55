package keypath

import (
	"slices"
	"strings"
)

// Class is what kind of namespace a key lies in, as far as it decides who may see the key. The
// ranking columns keep it of every row, so its values are kept forever. Who may see which class is
// package policy's to say.
type Class uint8

// The classes.
const (
	Open        Class = iota // no namespace with a rule of its own
	Quarantined              // /untrusted: written without a word on where it is from (M-18)
	Personal                 // a person's own, whatever the project; see PersonalPrefixes
	Session                  // /note/session: notes for the conversation that wrote them
)

// Untrusted is the namespace of what was written without a word on where it is from (M-18).
const Untrusted = "/untrusted"

// SessionNotes is the namespace of the notes for one conversation.
const SessionNotes = "/note/session"

// personal is the namespaces of what is a person's own.
var personal = [...]string{"/user", "/agent", "/rules/user", "/rules/org", "/note/user"}

// PersonalPrefixes returns the namespaces of what is a person's own: their preferences, agents,
// rules and notes, which hold in every project.
func PersonalPrefixes() []string { return slices.Clone(personal[:]) }

// Shown reports whether what is of a class is shown to everybody. A class that this build does not
// know is not.
func (c Class) Shown() bool { return c == Open || c == Personal || c == Session }

// Class returns the class of a key.
func (k Key) Class() Class { return ClassOf(k.s) }

// ClassOf is [Key.Class] for the text of a key.
func ClassOf(key string) Class {
	if isWithin(key, Untrusted) {
		return Quarantined
	}
	if isWithin(key, SessionNotes) {
		return Session
	}
	for _, prefix := range &personal {
		if isWithin(key, prefix) {
			return Personal
		}
	}
	return Open
}

// isWithin reports whether a key is that of a namespace, or below it.
func isWithin(key, namespace string) bool {
	rest, inside := strings.CutPrefix(key, namespace)
	return inside && (rest == "" || rest[0] == '/')
}

// Untrusted reports whether the key is quarantined.
func (k Key) Untrusted() bool { return k.Class() == Quarantined }
