package term

import "strings"

// Style is how a terminal shows a text, as the sequence that turns it on.
type Style string

// The styles, and what they say.
const (
	Plain  Style = ""
	Dim    Style = "\x1b[2m"  // beside the point, or no longer in force
	Bold   Style = "\x1b[1m"  // the name of what follows
	Red    Style = "\x1b[31m" // wrong, or gone
	Green  Style = "\x1b[32m" // well, or new
	Yellow Style = "\x1b[33m" // to be looked at
	Cyan   Style = "\x1b[36m" // what to do, or of what type
)

const styleOff = "\x1b[0m"

// Paint returns a text in the style.
func (s Style) Paint(text string) string {
	if s == Plain || text == "" {
		return text
	}
	return string(s) + text + styleOff
}

func (s Style) paint(text string, colour bool) string {
	if !colour {
		return text
	}
	return s.Paint(text)
}

// padded is Paint that leaves the blanks behind a text as they are.
func (s Style) padded(text string) string {
	shown := strings.TrimRight(text, " ")
	return s.Paint(shown) + text[len(shown):]
}
