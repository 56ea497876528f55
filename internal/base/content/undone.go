package content

import (
	"cmp"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// Undone returns the time of the version that a record took back, as its source says, and the name
// of the command that had stored it; "" where no undo of a command wrote the record.
func Undone(source []byte) (at, command string) {
	for _, name := range [...]string{"edited", "locator"} {
		said := Member(source, name)
		if at := jsontext.Unquote(Member(said, "undone")); at != "" {
			return at, jsontext.Unquote(Member(said, "command"))
		}
	}
	return "", ""
}

// Mover is the name in the source of a tombstone that a move leaves.
const Mover = "mem move"

// LeftByMove reports whether a tombstone with this source was left by a move to another store, or
// by the undo of a move from there: the memory is elsewhere.
func LeftByMove(source []byte) bool {
	_, undone := Undone(source)
	return undone == "move" || jsontext.Unquote(Member(source, "name")) == Mover
}

// WentTo returns the key that a tombstone with this source names: that to which its memory was
// renamed, or into which it was merged; "" for none.
func WentTo(source []byte) string {
	at := Member(source, "locator")
	return cmp.Or(jsontext.Unquote(Member(at, "to")), jsontext.Unquote(Member(at, "into")))
}
