package secret

import "strings"

// finding is the part of a match that allowlists look at.
type finding struct{ secret, match, line []byte }

func (f finding) allowed(lists []allowlist) bool {
	for i := range lists {
		if f.allowedBy(&lists[i]) {
			return true
		}
	}
	return false
}

func (f finding) allowedBy(a *allowlist) bool {
	target := f.secret
	switch a.target {
	case "match":
		target = f.match
	case "line":
		target = f.line
	}
	return a.matches(target) || a.hasWord(f.secret)
}

func (a *allowlist) matches(target []byte) bool {
	return a.pattern != nil && len(target) > 0 && a.pattern().Match(target)
}

func (a *allowlist) hasWord(secret []byte) bool {
	low := strings.ToLower(string(secret))
	for word := range strings.FieldsSeq(a.words) {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// reference reports whether a generic finding, at an offset, is the name of something.
func (f finding) reference(text []byte, at int) bool {
	return ulid(f.secret) || uuid(f.secret) || inChecksum(text, at)
}
