package ledger

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"
)

// Windows of a file in which secrets are looked for; each begins with the end of the one before, so
// that one which lies across is seen.
const (
	windowSize = 1 << 20
	windowBack = 16 << 10
)

// guardReader reads a file and fails with a *policy.SecretError at a secret.
type guardReader struct {
	r      io.Reader
	allow  []string
	window []byte
}

func newGuard(r io.Reader, allow []string) io.Reader { return &guardReader{r: r, allow: allow} }

func (g *guardReader) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.window = append(g.window, p[:n]...)
	if len(g.window) >= windowSize || err == io.EOF {
		if found := g.look(); len(found) > 0 {
			return 0, &policy.SecretError{Found: found}
		}
		g.window = slices.Clone(g.window[max(0, len(g.window)-windowBack):])
	}
	return n, err
}

// look returns the secrets found in the window. It reads bytes that are not text as blanks: the log
// of a program may have a few. A window with zeros may be UTF-16, as PowerShell writes it.
func (g *guardReader) look() []secret.Finding {
	text := strings.ToValidUTF8(string(g.window), " ")
	binary := strings.IndexByte(text, 0) >= 0
	found := g.secrets(strings.ReplaceAll(text, "\x00", " "), binary)
	if !binary {
		return found
	}
	if wide, ok := utf16Text(g.window); ok {
		found = append(found, g.secrets(wide, false)...)
	}
	return found
}

// secrets returns the secrets found in a text. In a binary file it ignores random blobs and
// credential markers, and reports only findings of the other rules, such as the tokens of a
// service.
func (g *guardReader) secrets(text string, binary bool) []secret.Finding {
	_, found := secret.RedactText(text)
	return slices.DeleteFunc(found, func(f secret.Finding) bool {
		vague := f.Rule == secret.RandomBlob || f.Rule == secret.CredentialMarker
		return slices.Contains(g.allow, f.Rule) || binary && vague
	})
}

// utf16Text returns the text of bytes with zeros among them, and whether they are UTF-16: in the
// order that puts most zeros in front, nearly all are characters.
func utf16Text(b []byte) (text string, ok bool) {
	var zeros [2]int
	for i, c := range b {
		if c == 0 {
			zeros[i%2]++
		}
	}
	high, units := 0, make([]uint16, len(b)/2)
	if zeros[1] > zeros[0] {
		high = 1
	}
	for i := range units {
		units[i] = uint16(b[2*i+high])<<8 | uint16(b[2*i+1-high])
	}
	decoded, other := utf16.Decode(units), 0
	for _, r := range decoded {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) || r == unicode.ReplacementChar {
			other++
		}
	}
	return string(decoded), other <= 1+len(decoded)/64 // 1 is the mark of the order
}
