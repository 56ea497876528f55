package keypath

import "strings"

// Prefix selects a key and all keys below it. The zero Prefix selects every key.
type Prefix struct{ root Key }

// ParsePrefix returns the prefix that s spells by the rules of keys. "" and "/" select everything;
// a trailing slash makes no difference.
func ParsePrefix(s string) (Prefix, error) {
	if strings.Trim(s, "/") == "" {
		return Prefix{}, nil
	}
	k, err := Parse(s)
	if err != nil {
		return Prefix{}, err
	}
	return Prefix{k}, nil
}

// MustPrefix is ParsePrefix for constants and tests: it panics where ParsePrefix refuses.
func MustPrefix(s string) Prefix {
	p, err := ParsePrefix(s)
	if err != nil {
		panic(err)
	}
	return p
}

// Holds reports whether p selects k. It compares whole segments: /user holds /user and /user/x, but
// not /username.
func (p Prefix) Holds(k Key) bool {
	rest, ok := strings.CutPrefix(k.s, p.root.s)
	if !ok || k.IsZero() {
		return false
	}
	return rest == "" || rest[0] == '/'
}

// String returns the normal form of the prefix, which ParsePrefix reads back: a key, or "/" for
// everything.
func (p Prefix) String() string {
	if p.root.IsZero() {
		return "/"
	}
	return p.root.s
}
