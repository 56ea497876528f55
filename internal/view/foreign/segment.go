package foreign

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/set-memory/mem/keypath"
)

const (
	maxSegment = 200 // bytes: three of them, and a prefix, stay below the length of a key
	maxHead    = 100 // bytes that are kept of a name which is no segment
	markDigits = 20  // not 16: package keypath ends its cut segments in 16, and so escapes those
)

// segment returns the segment of a key for a name; no two names get the same.
func segment(name string) string {
	if isSegment(name) {
		return name
	}
	mark := "~" + digits(name, markDigits)
	head := readableHead(name)
	// Characters that have another normal form only together, like two marks, are left out.
	if whole := head + mark; isPart(whole) {
		return whole
	}
	return mark
}

// digits returns the first n hex digits of a text's SHA-256.
func digits(text string, n int) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])[:n]
}

func isSegment(name string) bool {
	return len(name) <= maxSegment && !endsInDigits(name, '~', markDigits) && isPart(name)
}

// isPart reports whether a text is one segment of a key as it stands.
func isPart(text string) bool {
	if text == "" || strings.Contains(text, "/") {
		return false
	}
	key, err := keypath.Parse("/" + text)
	return err == nil && key.String() == "/"+text
}

func endsInDigits(name string, mark byte, n int) bool {
	at := len(name) - n - 1
	return at >= 0 && name[at] == mark && strings.Trim(name[at+1:], "0123456789abcdef") == ""
}

// readableHead returns the beginning of a name with "_" for each character that no key may hold.
func readableHead(name string) string {
	var out strings.Builder
	for _, r := range name {
		part := string(r)
		if r == '/' || !isPart("x"+part) {
			part = "_"
		}
		if out.Len()+len(part) > maxHead {
			break
		}
		out.WriteString(part)
	}
	return out.String()
}
