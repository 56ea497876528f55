package policy

import (
	"fmt"
	"unicode/utf8"
)

// Limits of a note.
const (
	MaxNote     = 500 // characters (code points) of its text
	MaxNoteTags = 5
)

// CheckNote refuses a note over its limits; the error wraps ErrTooLarge and names both numbers.
func CheckNote(text string, tags []string) error {
	if n := utf8.RuneCountInString(text); n > MaxNote {
		return fmt.Errorf("text: %w: %d characters, at most %d", ErrLongNote, n, MaxNote)
	}
	if len(tags) > MaxNoteTags {
		return fmt.Errorf("tags: %w: %d tags, at most %d", ErrTooLarge, len(tags), MaxNoteTags)
	}
	return nil
}
