package keypath

import (
	"cmp"
	"path"
	"strconv"
	"strings"
)

// maxDigits is the most digits of a number in a key, and maxNumber the highest number.
const (
	maxDigits = 15
	maxNumber = 999_999_999_999_999
)

// MaxCounted is the highest number that a counter can have come to. Builds that counted whatever a
// key said, however far above all others, came to higher ones.
const MaxCounted = maxNumber - MaxGap

// Counters returns the names of the counters whose numbers keys carry: a store gives numbers of
// these and no others.
func Counters() []string { return []string{"note"} }

// LettersLen is how many letters follow the number in the id of a note where a copy of the store
// may give the same number to another note. Ids of before have EarlierLettersLen of them, and so
// have notes that came there with a plain id.
const (
	LettersLen        = 6
	EarlierLettersLen = 4
)

// Number returns the number that a store gave the record of a key, and the counter that it is from:
// /note/<scope>/m-4 has the number 4 of "note". So have /note/user/u-4, and m-4-abcdef and m-4-abcd
// where letters tell copies of a store apart. ok is false if the key has none.
// A number has one spelling: no sign, no leading zero.
func (k Key) Number() (counter string, n int64, ok bool) {
	rest, ok := strings.CutPrefix(k.s, "/note/")
	if !ok {
		return "", 0, false
	}
	scope, id, _ := strings.Cut(rest, "/")
	var digits string
	switch scope {
	case "user":
		if digits, ok = strings.CutPrefix(id, "u-"); !ok {
			digits, ok = strings.CutPrefix(id, "m-")
		}
	case "workspace", "session":
		digits, ok = strings.CutPrefix(id, "m-")
	default:
		return "", 0, false
	}
	if !ok {
		return "note", 0, false
	}
	n, ok = ParseNumber(cutLetters(digits))
	return "note", n, ok
}

// CompareNumbered orders keys as Compare does, but notes of one scope by their numbers.
func (k Key) CompareNumbered(o Key) int {
	_, n, ok := k.Number()
	_, m, also := o.Number()
	if ok && also && path.Dir(k.s) == path.Dir(o.s) {
		return cmp.Or(cmp.Compare(n, m), k.Compare(o))
	}
	return k.Compare(o)
}

// NoteID returns the id in the key of a note, like m-4; not ok for any other key.
func NoteID(k Key) (id string, ok bool) {
	counter, _, ok := k.Number()
	return k.s[strings.LastIndexByte(k.s, '/')+1:], ok && counter == "note"
}

// ShortID is NoteID without its letters: m-4 of m-4-abcdef, and of m-4.
func ShortID(k Key) (id string, ok bool) {
	id, ok = NoteID(k)
	return cutLetters(id), ok
}

// cutLetters returns the part of 4-abcdef before the letters, and any other text as it is.
func cutLetters(id string) string {
	i := strings.LastIndexByte(id, '-')
	n := len(id) - i - 1
	if i < 0 || n != LettersLen && n != EarlierLettersLen ||
		strings.Trim(id[i+1:], "abcdefghijklmnopqrstuvwxyz") != "" {
		return id
	}
	return id[:i]
}

// ParseNumber parses a number in the form that it has in a key.
func ParseNumber(digits string) (int64, bool) {
	if digits == "" || len(digits) > maxDigits || digits[0] == '0' ||
		strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}
