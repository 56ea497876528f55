package content

import (
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// BlobOf returns the SHA-256 of the file that an artifact is about, as the member sha256 of its
// content names it; "" for content that is not an artifact, and for an artifact that names none. An
// artifact that waits under /untrusted names its file too: it is to be there when it is approved.
func BlobOf(key keypath.Key, text []byte) string {
	if keypath.ClassOf(strings.TrimPrefix(key.String(), keypath.Untrusted)) != keypath.Artifact {
		return ""
	}
	sum := ""
	for name, value := range jsontext.RawMembers(text) {
		if string(name) == "sha256" {
			sum = jsontext.Unquote(value)
		}
	}
	if !IsBlobSum(sum) {
		return ""
	}
	return sum
}

// blobSumLen is the length of a SHA-256 in hexadecimal.
const blobSumLen = 64

// IsBlobSum reports whether a text is spelled as BlobOf returns it: 64 hexadecimal digits in lower
// case. Nothing else is ever made the name of a file.
func IsBlobSum(text string) bool {
	return len(text) == blobSumLen && strings.Trim(text, "0123456789abcdef") == ""
}
