package keypath

import "strings"

// Class is what kind of namespace a key lies in, as far as it decides who may see the key. The
// ranking columns keep it of every row, so its values are kept forever. Who may see which class is
// package policy's to say.
type Class uint8

// The classes.
const (
	Open        Class = iota // no namespace with a rule of its own
	Quarantined              // /untrusted: written without a word on where it is from (M-18)
)

// Untrusted is the namespace of what was written without a word on where it is from (M-18).
const Untrusted = "/untrusted"

// Class returns the class of a key.
func (k Key) Class() Class { return ClassOf(k.s) }

// ClassOf is [Key.Class] for the text of a key.
func ClassOf(key string) Class {
	if rest, inside := strings.CutPrefix(key, Untrusted); inside && (rest == "" || rest[0] == '/') {
		return Quarantined
	}
	return Open
}

// Untrusted reports whether the key is quarantined.
func (k Key) Untrusted() bool { return k.Class() == Quarantined }
