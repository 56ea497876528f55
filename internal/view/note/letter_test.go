package note_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// versions draws what one machine has had under the key of a note.
func versions(t *rapid.T, machine int) (list []log.Envelope) {
	scope := rapid.SampledFrom(note.Scopes[:]).Draw(t, "scope")
	for i := range rapid.IntRange(1, 5).Draw(t, "versions") {
		list = append(list, log.Envelope{
			Key:    keypath.MustParse("/note/" + scope + "/m-3"),
			TS:     log.Stamp(1_770_000_000_000_000 + rapid.Int64Range(0, 3).Draw(t, "ts")),
			Source: []byte(`"tests"`),
			Content: []byte(rapid.SampledFrom([]string{fmt.Sprintf(`{"text":"%d.%d"}`, machine, i),
				"null"}).Draw(t, "content")),
		})
		if list[i].Valid() {
			continue
		}
		list[i].Source = fmt.Appendf(nil, `"machine %d.%d"`, machine, i)
	}
	return list
}

// The keys depend on what the notes have had, and not on the order in which a machine learns of it,
// nor on what it is told twice.
func TestLetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var histories [][]log.Envelope
		for machine := range rapid.IntRange(2, 5).Draw(t, "machines") {
			histories = append(histories, versions(t, machine))
		}
		keys, err := note.Letter(histories...)
		if err != nil {
			t.Fatal(err)
		}
		order := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range histories {
				if !yield(i) {
					return
				}
			}
		})).Draw(t, "order")
		mixed := make([][]log.Envelope, len(order))
		for to, from := range order {
			list := append(slices.Clone(histories[from]), histories[from][0])
			mixed[to] = rapid.Permutation(list).Draw(t, "list")
		}
		again, err := note.Letter(mixed...)
		if err != nil {
			t.Fatal(err)
		}
		for to, from := range order {
			short, _ := keypath.ShortID(keys[from])
			space, _, _ := note.Split(histories[from][0].Key)
			got, _, ok := note.Split(keys[from])
			if again[to] != keys[from] || !ok || got != space || short != "m-3" ||
				slices.Contains(keys[:from], keys[from]) {
				t.Fatalf("%v, and then %v in the order %v", keys, again, order)
			}
			if alone, err := note.Letter(histories[from]); err != nil || alone[0] != keys[from] {
				t.Fatalf("%s alone is %v, %v", keys[from], alone, err)
			}
		}
	})
}

// A history can grow at its end: the first version is what counts. An id that has letters gets
// others. What is no note is refused.
func TestLetterOfNotes(t *testing.T) {
	line := func(key string, ts log.Stamp) log.Envelope {
		return log.Envelope{Key: keypath.MustParse(key), TS: ts, Source: []byte(`"x"`),
			Content: []byte(`{"text":"x"}`)}
	}
	first, later := line("/note/user/u-7", 1), line("/note/user/u-7", 2)
	one, err := note.Letter([]log.Envelope{first})
	two, err2 := note.Letter([]log.Envelope{later, first})
	if err != nil || err2 != nil || one[0] != two[0] || one[0].String() != "/note/user/u-7-klhe" {
		t.Errorf("%v, %v, %v, %v", one, err, two, err2)
	}
	if keys, err := note.Letter([]log.Envelope{line("/note/workspace/m-1-abcd", 1)}); err != nil ||
		len(keys[0].String()) != len("/note/workspace/m-1-abcd") {
		t.Errorf("%v, %v", keys, err)
	}
	for _, list := range [][]log.Envelope{nil, {line("/project/db", 1)}} {
		if keys, err := note.Letter(list); !errors.Is(err, mem.ErrInput) {
			t.Errorf("%v: %v, %v", list, keys, err)
		}
	}
}
