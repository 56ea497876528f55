package ledger

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/secret"
)

// Windows of a file in which secrets are looked for; each begins with the end of the one before, so
// that one which lies across is seen.
const (
	windowSize = 1 << 20
	windowBack = 16 << 10
)

// guardReader reads a file and fails with a *policy.SecretError where a part of it that is text has
// what looks like a secret.
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

// look returns what is found in the window. What is no text is not looked into.
func (g *guardReader) look() []secret.Finding {
	text := g.window
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:] // the window before ended within this character
	}
	end := len(text)
	for end > 0 && end > len(text)-utf8.UTFMax && !utf8.Valid(text[:end]) {
		end--
	}
	if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text[:end]) {
		return nil
	}
	_, found := secret.RedactText(string(text[:end]))
	return slices.DeleteFunc(found, func(f secret.Finding) bool {
		return slices.Contains(g.allow, f.Rule)
	})
}
