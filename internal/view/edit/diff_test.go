package edit_test

import (
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/view/edit"
)

func TestDiffLines(t *testing.T) {
	want := []edit.DiffLine{{"@", "@@ -1,2 +1,2 @@"}, {" ", " a"}, {"-", "-b"}, {"+", "+c"}}
	if got := edit.DiffLines("a\nb", "a\nc"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := edit.DiffLines("a", "a"); got != nil {
		t.Errorf("of the same: %q", got)
	}
}
