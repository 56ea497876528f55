package exchange

import (
	"encoding/hex"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Lines that the head of a segment marks have the mark in their source once they are read, and the
// segment that is made of them marks none in its head.
func TestMarkedLinesAreClaims(t *testing.T) {
	var s segment
	s.V = 1
	for i, source := range []string{`"me"`, `{"kind":"user","name":"me"}`,
		`{"name":"me","claimed":"client codex"}`, `"me"`} {
		e := log.Envelope{Key: keypath.MustParse("/user/r"), TS: log.Stamp(i + 1),
			Source: []byte(source), Content: []byte(`{"type":"rule","text":"r"}`)}
		s.lines = append(s.lines, e)
		if id := e.Identity(); i < 3 {
			s.Marked = append(s.Marked, hex.EncodeToString(id[:]))
		}
	}
	s.Marked = append(s.Marked, "no identity")
	for range 2 {
		plain, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		read, err := decode(plain)
		if err != nil {
			t.Fatal(err)
		}
		s = *read
		for i, want := range []string{"import", "import", "client codex", ""} {
			if got := content.Claim(s.lines[i].Source); got != want {
				t.Errorf("line %d: %q, want %q", i, got, want)
			}
		}
		if len(s.Marked) > 0 {
			t.Errorf("marks are left: %v", s.Marked)
		}
	}
}
