package edit

import (
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// checkNote refuses what would make a note pass its limits; the error wraps policy.ErrTooLarge. One
// that does so already may be changed elsewhere.
func checkNote(was log.Record, text []byte) error {
	if _, ok := keypath.NoteID(was.Key); !ok {
		return nil
	}
	before, after := content.Parse(was.Content), content.Parse(text)
	if before.Text == after.Text && slices.Equal(before.Tags, after.Tags) {
		return nil
	}
	return policy.CheckNote(after.Text, after.Tags)
}
