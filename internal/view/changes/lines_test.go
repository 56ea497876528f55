package changes_test

import (
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/view/changes"
)

func TestLines(t *testing.T) {
	want := []changes.Line{{"@", "@@ -1,2 +1,2 @@"}, {" ", " a"}, {"-", "-b"}, {"+", "+c"}}
	if got := changes.Lines("a\nb", "a\nc"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := changes.Lines("a", "a"); got != nil {
		t.Errorf("of the same: %q", got)
	}
}
