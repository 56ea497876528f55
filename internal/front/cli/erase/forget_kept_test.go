package erase

import (
	"bytes"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/view/forget"
)

// The proof of a purge says which files stay, and why.
func TestPurgePrintsWhatIsKept(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	s := forget.PurgedStore{Versions: 1, Kept: []string{sum}}
	var out bytes.Buffer
	printProof(&out, &s)
	if !strings.Contains(out.String(), "same bytes: artifacts/"+sum+"\n") {
		t.Errorf("%s", out.String())
	}
}
