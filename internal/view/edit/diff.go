package edit

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// DiffLine is a line of a comparison: its kind is +, -, @ or a blank, and begins its text.
type DiffLine struct{ Kind, Text string }

// DiffLines returns the lines in which two texts differ, with some around them; none where they are
// the same.
func DiffLines(old, now string) (lines []DiffLine) {
	ended := func(s string) []byte { return []byte(strings.TrimPrefix(s+"\n", "\n")) }
	text := diff.Diff("old", ended(old), "new", ended(now)) // "" has no line
	for i, line := range strings.Split(string(text), "\n") {
		if i > 2 && line != "" { // the lines before are the header of the diff
			lines = append(lines, DiffLine{line[:1], line})
		}
	}
	return lines
}
