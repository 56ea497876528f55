package cli

import (
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
)

// mostRetyped is how long a command may be that a hint repeats.
const mostRetyped = 120

// retyped returns the command line with another word in the place of one, to be typed as printed;
// "" where the line is long, or not text.
func retyped(args []string, wrong, right string) string {
	words := []string{"mem"}
	replaced := false
	for _, arg := range args {
		if arg == wrong && !replaced {
			replaced = true
			words = append(words, right)
			continue
		}
		words = append(words, advice.Quote(arg))
	}
	line := strings.Join(words, " ")
	if !replaced || len(line) > mostRetyped || strings.ContainsAny(line, "\n\r\t\x00") {
		return ""
	}
	return line
}
