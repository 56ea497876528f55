package policy

import (
	"fmt"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// Limits of a note.
const (
	MaxNote     = 500 // characters (code points) of its text
	MaxNoteTags = 5
)

// checkText refuses content without a text for the key of a note, where the operation gives
// memories their content. A line from elsewhere stays as it is. No
// list would show a note without a text, and each start would have its JSON.
func (f *Facts) checkText(*Ground) error {
	_, isNote := keypath.NoteID(f.Key)
	if !isNote || f.Deletes || f.Verb.rights&shapes == 0 ||
		jsontext.Unquote(content.Member(f.Content, "text")) != "" {
		return nil
	}
	return fault.Input(f.Key.Shown(), `a note needs a "text", a string that is not empty`,
		advice.Run("forget", keypath.Name(f.Key.String())).Then(" deletes the note"))
}

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
