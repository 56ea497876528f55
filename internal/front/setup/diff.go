package setup

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// unified returns the difference of two texts as diff -u prints it, "" if there is none.
func unified(from, to string, before, after []byte) string {
	// The first line names the command, for which diff -u has no line.
	_, text, _ := bytes.Cut(diff.Diff(from, before, to, after), []byte("\n"))
	return string(text)
}
