package note

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Letter returns the keys that notes of one id get, each its own scope and number with letters:
// machines that had not synced with each other gave the id twice. A history is every version that
// one of the notes has had, in any order; no two share one. The letters come from its first version
// alone, so all machines choose the same keys, whenever they learn of each note. Only of two notes
// with equal letters, one pair in 457,000, the later one gets others. The error wraps mem.ErrInput
// for a history that is empty or not that of a note.
//
// Content from before names the old key. In the lines of a machine it means the note that this
// machine had: its references and its superseded_by get the new key, as in an import that gives a
// note another number. A text that names the old id stays as it is: the id is the short form of
// both, and verbs that are given it list the two.
func Letter(histories ...[]log.Envelope) ([]keypath.Key, error) {
	firsts := make([]log.Envelope, len(histories))
	order := make([]int, len(histories))
	for i, versions := range histories {
		if len(versions) == 0 {
			return nil, fmt.Errorf("history %d: %w: it has no version", i, mem.ErrInput)
		}
		firsts[i], order[i] = slices.MinFunc(versions, byAge), i
	}
	slices.SortFunc(order, func(a, b int) int { return byAge(firsts[a], firsts[b]) })
	keys, taken := make([]keypath.Key, len(histories)), map[string]bool{}
	for _, i := range order {
		key := firsts[i].Key
		space, _, ok := Split(key)
		if !ok {
			return nil, fmt.Errorf("%s: %w: it is no note", key.Shown(), mem.ErrInput)
		}
		short, _ := keypath.ShortID(key)
		text, id := "note "+string(firsts[i].Line()), ""
		for id == "" || taken[id] {
			id = short + "-" + site.Letters(text)
			text += "\n"
		}
		taken[id] = true
		keys[i] = keypath.MustParse(space.String() + "/" + id)
	}
	return keys, nil
}

// byAge orders versions, the oldest first, by their lines alone.
func byAge(a, b log.Envelope) int {
	return cmp.Or(cmp.Compare(a.TS, b.TS), strings.Compare(string(a.Line()), string(b.Line())))
}
