package keypath

import (
	"iter"
	"strings"
)

// MaxLen is the greatest length of a key in bytes, after normalization.
const MaxLen = 1024

// Key is a key that passed Parse, in its normal form. Keys compare with ==; the zero Key is no key.
type Key struct{ s string }

// Parse reads a key in any accepted spelling and gives it in the normal one (M-12, M-26, M-27). Of several faults it reports
// the first, as an *Error that wraps ErrKey.
//
// A key that is in normal form already is not copied: it shares the memory of s.
func Parse(s string) (Key, error) {
	if isCanonicalASCII(s) {
		return Key{s}, nil
	}
	if err := check(s); err != nil {
		return Key{}, err
	}
	canon, err := normalize(s)
	if err != nil {
		return Key{}, err
	}
	return Key{canon}, nil
}

// MustParse is Parse for constants and tests: it panics where Parse refuses.
func MustParse(s string) Key {
	k, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return k
}

// String is the normal form: what goes into an envelope and what the hash of a path is taken over. Empty for no key.
func (k Key) String() string { return k.s }

// MarshalText returns the key as its text, so that it stands in JSON as it does in the log.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.s), nil }

// IsZero tells whether k is no key.
func (k Key) IsZero() bool { return k.s == "" }

// Compare orders keys by their bytes: negative where k comes before o, zero where they are the same key.
func (k Key) Compare(o Key) int { return strings.Compare(k.s, o.s) }

// Untrusted is the namespace of what was written without a word on where it is from (M-18).
const Untrusted = "/untrusted"

// Untrusted tells whether k lies in that namespace. No read shows it to an agent that did not ask for it by name.
func (k Key) Untrusted() bool { return IsUntrusted(k.s) }

// IsUntrusted is [Key.Untrusted] for the text of a key.
func IsUntrusted(key string) bool {
	rest, inside := strings.CutPrefix(key, Untrusted)
	return inside && (rest == "" || rest[0] == '/')
}

// Segments yields what stands between the slashes, first to last; nothing for no key.
func (k Key) Segments() iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := k.s; rest != ""; {
			var seg string
			seg, rest = nextSegment(rest)
			if !yield(seg) {
				return
			}
		}
	}
}

// nextSegment splits a key, or what is left of one, behind its first segment.
func nextSegment(key string) (seg, rest string) {
	if at := strings.IndexByte(key[1:], '/'); at >= 0 {
		return key[1 : 1+at], key[1+at:]
	}
	return key[1:], ""
}

// Beneath moves a key into a namespace: parent "/untrusted" makes "/untrusted/user/x" of "/user/x". It fails as Parse does,
// also where the result would be too long; no key has no place beneath anything.
func (k Key) Beneath(parent string) (Key, error) {
	if k.IsZero() {
		return Parse("")
	}
	p, err := Parse(parent)
	if err != nil {
		return Key{}, err
	}
	return Parse(p.s + k.s)
}
