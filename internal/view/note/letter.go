package note

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Letter returns the key that a note with a plain id gets in a layer: its scope and number, with
// letters. versions are all that the note has had, in any order. The letters come from its first
// version alone, so two copies of a store choose the same; of two notes with one number on two
// machines, one pair in 457,000 gets the same, and becomes one note with two versions. The error
// wraps mem.ErrInput for no version, and for a key that is not a note's.
func Letter(versions []log.Envelope) (keypath.Key, error) {
	if len(versions) == 0 {
		return keypath.Key{}, fmt.Errorf("%w: a note without a version", mem.ErrInput)
	}
	first := slices.MinFunc(versions, byAge)
	space, _, ok := Split(first.Key)
	if !ok {
		return keypath.Key{}, fmt.Errorf("%s: %w: it is no note", first.Key.Shown(), mem.ErrInput)
	}
	short, _ := keypath.ShortID(first.Key)
	return keypath.MustParse(space.String() + "/" + short + "-" +
		lettersOf("note "+string(first.Line()))), nil
}

// Arriving returns the id of a note that comes from another store, with a number of this one: with
// the letters that it had there, or those that [Letter] gives it.
func (ids IDs) Arriving(scope string, n int64, versions []log.Envelope) (string, error) {
	id := ids.short(scope, n)
	if ids.Draw == nil {
		return id, nil
	}
	if len(versions) > 0 && HasLetters(versions[0].Key) {
		was := versions[0].Key.String()
		return id + was[strings.LastIndexByte(was, '-'):], nil
	}
	key, err := Letter(versions)
	if err != nil {
		return "", err
	}
	return id + key.String()[strings.LastIndexByte(key.String(), '-'):], nil
}

// IsPlain reports whether a key is that of a note whose id has no letters.
func IsPlain(key keypath.Key) bool {
	_, isNote := keypath.NoteID(key)
	return isNote && !HasLetters(key)
}

// HasLetters reports whether a key is that of a note whose id has letters.
func HasLetters(key keypath.Key) bool {
	id, _ := keypath.NoteID(key)
	return !isShort(id, key)
}

// byAge orders versions, the oldest first, by their lines alone.
func byAge(a, b log.Envelope) int {
	return cmp.Or(cmp.Compare(a.TS, b.TS), strings.Compare(string(a.Line()), string(b.Line())))
}

func lettersOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return letters(sum[:keypath.EarlierLettersLen])
}

// drawLetters returns letters by chance.
func drawLetters() string {
	b := make([]byte, keypath.LettersLen)
	for i := range b {
		for b[i] = 255; b[i] >= 26*9; { // a remainder of the last 22 would be more likely
			rand.Read(b[i : i+1]) // it never fails
		}
	}
	return letters(b)
}

func letters(b []byte) string {
	text := make([]byte, len(b))
	for i := range b {
		text[i] = 'a' + b[i]%26
	}
	return string(text)
}
