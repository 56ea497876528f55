package sync

import (
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem"
)

// A full disk is said to have stored nothing only where no store has taken in lines before.
func TestStayed(t *testing.T) {
	for lines, want := range map[int]string{0: "nothing was stored", 2: "what is stored stays"} {
		err := stayed(lines, syscall.ENOSPC)
		if hint := mem.Hint(err); !strings.Contains(hint, want) {
			t.Errorf("%d lines: %q", lines, hint)
		}
		if mem.KindOf(err) != mem.KindIO {
			t.Errorf("%d lines: %v", lines, err)
		}
	}
	if stayed(2, nil) != nil {
		t.Error("an error without a cause")
	}
}
