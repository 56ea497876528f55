package secret

import (
	"bytes"
	"strings"
)

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

// digests are names under which a generic value of hexadecimal digits is a reference, not a secret.
// gitleaks has no such list: it takes "key commit: " and the name of a commit for a key.
var digests = [...]string{"commit", "checksum", "digest", "revision", "uuid", "guid", "etag", "md5",
	"sha1", "sha256", "sha512", "sha:", "idempotency", "cache"}

// reference reports whether a generic finding, at an offset, is the name of something.
func (f finding) reference(text []byte, at int) bool {
	return ulid(f.secret) || uuid(f.secret) || f.digest() || inChecksum(text, at) ||
		publicLabel(text[:at])
}

// digest reports whether a generic finding is a checksum or an identifier: long, hexadecimal, and
// named so.
func (f finding) digest() bool {
	const least = 32
	sum := f.secret
	if i := bytes.LastIndexByte(sum, '-'); len(sum)-i > least {
		sum = sum[i+1:] // what is before it names a cache
	}
	if len(sum) < least {
		return false
	}
	for _, c := range sum {
		if c != '-' && !('0' <= c && c <= '9') && !('a' <= c|0x20 && c|0x20 <= 'f') {
			return false
		}
	}
	name := bytes.ToLower(f.match)
	for _, word := range digests {
		if bytes.Contains(name, []byte(word)) {
			return true
		}
	}
	return false
}
