package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
)

// The proof of a purge says which files stay, and why.
func TestPurgePrintsWhatIsKept(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	s := newPurgedStore("", nil, backend.Proof{Versions: 1, Kept: []string{sum}})
	var out bytes.Buffer
	s.print(&out)
	if !strings.Contains(out.String(), "same bytes: artifacts/"+sum+"\n") {
		t.Errorf("%s", out.String())
	}
}
