package ledger

import (
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"
)

// Windows of a file in which secrets are looked for; each begins with the end of the one before, so
// that one which lies across is seen.
const (
	windowSize = 1 << 20
	windowBack = 16 << 10
)

// guardReader reads a file and fails with a *policy.SecretError where a part of it has what looks
// like a secret.
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
// of a program may have a few. In a binary file it ignores random blobs and credential markers, and
// reports only findings of the other rules, such as the tokens of a service.
func (g *guardReader) look() []secret.Finding {
	text := strings.ToValidUTF8(string(g.window), " ")
	binary := strings.IndexByte(text, 0) >= 0
	if binary {
		text = strings.ReplaceAll(text, "\x00", " ")
	}
	_, found := secret.RedactText(text)
	return slices.DeleteFunc(found, func(f secret.Finding) bool {
		vague := f.Rule == secret.RandomBlob || f.Rule == secret.CredentialMarker
		return slices.Contains(g.allow, f.Rule) || binary && vague
	})
}
