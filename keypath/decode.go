package keypath

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Decode returns the key whose file lies at p below index/, and exact as true, if the path has the
// whole key; then k.Path() == p. A path with a cut segment does not: it returns the zero Key and
// exact as false, after its form was checked as far as that goes without the key, which stands in
// the file. Any other path belongs to no key, and the error wraps ErrPath.
func Decode(p RelPath) (k Key, exact bool, err error) {
	name, ok := cutTag(string(p))
	if !ok {
		return Key{}, false, notPath(p, `no "@", hash and ".json" at its end`)
	}
	raw, cut, ok := decodeName(name)
	if !ok {
		return Key{}, false, notPath(p, "not the encoding of a name")
	}
	k, err = Parse(raw)
	switch {
	case err != nil:
		return Key{}, false, fmt.Errorf("%w: %w", ErrPath, err)
	case k.s != raw:
		return Key{}, false, notPath(p, "key not in normal form")
	case cut:
		return Key{}, false, nil
	case k.Path() != p:
		return Key{}, false, notPath(p, "hash of another key")
	}
	return k, true, nil
}

// cutTag removes "@", the hash and ".json" from a file's path and returns the encoded segments.
func cutTag(path string) (name string, ok bool) {
	at := len(path) - tagLen
	if at < 0 || path[at] != tagMark {
		return "", false
	}
	sum, ok := strings.CutSuffix(path[at+1:], fileExt)
	return path[:at], ok && isLowerHex(sum)
}

// decodeName returns the key of an encoded name or, if a segment was cut, the rest of the key.
func decodeName(name string) (raw string, cut, ok bool) {
	var b strings.Builder
	for enc := range strings.SplitSeq(name, "/") {
		seg, segCut, ok := decodeSegment(enc)
		if !ok {
			return "", false, false
		}
		b.WriteByte('/')
		b.WriteString(seg)
		cut = cut || segCut
	}
	return b.String(), cut, true
}

// decodeSegment returns the raw segment, or the beginning of it that a cut left. ok is true only
// for the spelling that appendSegment writes.
func decodeSegment(enc string) (raw string, cut, ok bool) {
	cut = endsLikeCut(enc)
	if cut {
		enc = enc[:len(enc)-cutLen]
	}
	raw, ok = unescape(enc)
	switch {
	case !ok || raw == "" || !utf8.ValidString(raw):
		return "", false, false
	case cut:
		return raw, true, isHead(enc, raw)
	}
	return raw, false, string(appendSegment(nil, raw)) == enc
}

// isHead reports whether some segment is cut to this beginning. The encoding of a beginning depends
// on what follows in one case only: "CON" and spaces are a device if a dot or the end comes next.
// So a continuation of either kind is tried.
func isHead(enc, raw string) bool {
	if len(enc) < minHead || len(enc) > maxHead {
		return false
	}
	for _, next := range [...]string{"x", ".x"} {
		if string(appendSegment(nil, raw+next)) == enc+next {
			return true
		}
	}
	return false
}

// unescape decodes %XX, needless escapes too: the caller encodes the result again.
func unescape(enc string) (raw string, ok bool) {
	if strings.IndexByte(enc, '%') < 0 {
		return enc, true
	}
	b := make([]byte, 0, len(enc))
	for i := 0; i < len(enc); i++ {
		if enc[i] != '%' {
			b = append(b, enc[i])
			continue
		}
		char, err := hex.DecodeString(enc[i+1 : min(i+3, len(enc))])
		if err != nil || len(char) != 1 {
			return "", false
		}
		b = append(b, char[0])
		i += 2
	}
	return string(b), true
}
