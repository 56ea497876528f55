package keypath

import (
	"iter"
	"strings"
)

// MaxLen is the greatest length of a key in bytes, after normalization.
const MaxLen = 1024

// Key is a key that passed Parse, in its normal form. Keys compare with ==; the zero Key is no key.
type Key struct{ s string }

// Parse returns the key that s spells, in its normal form. If s has several
// faults it reports the first, as an *Error that wraps ErrKey.
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

// String returns the normal form, which envelopes hold and which the hash in a path is taken over.
// It is empty for the zero Key.
func (k Key) String() string { return k.s }

// MarshalText returns the key as its text, so that it stands in JSON as it does in the log.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.s), nil }

// UnmarshalText reads what [Parse] does.
func (k *Key) UnmarshalText(text []byte) (err error) {
	*k, err = Parse(string(text))
	return err
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k.s == "" }

// Compare orders keys by their bytes: it is negative if k comes before o, and zero if they are
// equal.
func (k Key) Compare(o Key) int { return strings.Compare(k.s, o.s) }

// Segments yields the text between the slashes, first to last; it yields nothing for the zero Key.
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

// nextSegment splits a key, or the rest of one, after its first segment.
func nextSegment(key string) (seg, rest string) {
	if at := strings.IndexByte(key[1:], '/'); at >= 0 {
		return key[1 : 1+at], key[1+at:]
	}
	return key[1:], ""
}

// WithPrefix returns the key moved into a namespace: with the prefix "/untrusted", "/user/x"
// becomes "/untrusted/user/x". It fails as Parse does, also if the result would be too long or k is
// the zero Key.
func (k Key) WithPrefix(prefix string) (Key, error) {
	if k.IsZero() {
		return Parse("")
	}
	p, err := Parse(prefix)
	if err != nil {
		return Key{}, err
	}
	return Parse(p.s + k.s)
}
