package secret

import (
	"bytes"
	"cmp"
)

// sums are the labels and beginnings of hashes, public keys and addresses, which look random, and
// the length of what follows; 0 is any from leastPublic on, a negative one the least.
var sums = [...]struct {
	label string
	n     int
}{
	{"h1:", 44}, {"sha256-", 44}, {"sha384-", 64}, {"sha512-", 88}, {"RW", 54}, {"Qm", 44},
	{"0x", 40},
	{"sha256:", 0}, {"SHA256:", 0}, {"SHA512:", 0}, {"sha256//", 0}, {"AAAAB3", 0}, {"AAAAC3", 0},
	{"AAAAE2", 0}, {"AAAAGn", 0}, {"AAAAIn", 0}, {"xpub", 0}, {"ypub", 0}, {"zpub", 0}, {"tpub", 0},
	{"upub", 0}, {"vpub", 0}, {"age1", 0}, {"npub1", 0}, {"bc1", 0}, {"bafy", 0}, {"bafk", 0},
	{"12D3KooW", 0}, {"z6Mk", 0}, {"did:key:", 0},
	{"pk_live_", -20}, {"pk_test_", -20}, {"phc_", -20}, {"pk.", -60}, {"sb_publishable_", -20},
}

const leastPublic = 32

// publicName matches the end of a text before a public value: a name, and signs or spaces.
var publicName = pattern{text: `(?i)(?:pub(?:lic)?[ _-]?(?:key)?|fingerprint|address|etag|cf-ray|` +
	`x-amz-(?:cf-)?id(?:-2)?|(?:request|correlation|trace)-?id|[,{]\s*"[xyn]")` +
	`["'\x60]?(?: is)?[\s:=("'\x60]*$`}

// inChecksum reports whether the text at an offset is in a checksum or in another public value:
// behind its label or with its beginning, and just as long as one, or of some length behind its
// name.
func inChecksum(text []byte, at int) bool {
	const longest = 512
	from := at
	for from > max(0, at-longest) && sumByte(text[from-1]) {
		from--
	}
	for _, sum := range sums {
		label := []byte(sum.label)
		start := from
		if bytes.HasPrefix(text[at:], label) {
			start = at + len(label)
		} else if bytes.HasPrefix(text[from:], label) {
			start = from + len(label)
		} else if !bytes.HasSuffix(text[:from], label) {
			continue
		}
		if before := start - len(label); before > 0 && alnum(text[before-1]) {
			continue
		}
		n := sumEnd(text, start) - start
		if n == sum.n || sum.n <= 0 && n >= cmp.Or(-sum.n, leastPublic) {
			return true
		}
	}
	return sumEnd(text, from)-from >= leastPublic &&
		publicName.match(text[max(0, from-leastPublic):from])
}

// sumEnd returns the end of the base64 that begins at an offset, its padding included.
func sumEnd(text []byte, at int) int {
	for at < len(text) && sumByte(text[at]) {
		at++
	}
	return skip(text, at, "=", 2)
}

func sumByte(c byte) bool { return alnum(c) || c == '+' || c == '/' || c == '-' || c == '_' }
