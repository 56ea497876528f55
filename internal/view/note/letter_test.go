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

// The key depends on the versions of the note, not on their order, nor on one that comes twice.
func TestLetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := versions(t, 1)
		key, err := note.Letter(history)
		if err != nil {
			t.Fatal(err)
		}
		list := append(slices.Clone(history), history[0])
		again, err := note.Letter(rapid.Permutation(list).Draw(t, "list"))
		if err != nil || again != key {
			t.Fatalf("%s, and then %s, %v", key, again, err)
		}
		short, _ := keypath.ShortID(key)
		space, _, _ := note.Split(history[0].Key)
		if got, _, ok := note.Split(key); !ok || got != space || short != "m-3" {
			t.Fatalf("%s of %s", key, history[0].Key)
		}
		for i := range history { // a note of another machine, in any version
			history[i].Source = []byte(`"another machine"`)
		}
		if other, err := note.Letter(history); err != nil || other == key {
			t.Fatalf("%s of both, %v", other, err)
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
	if err != nil || err2 != nil || one != two || one.String() != "/note/user/u-7-klhe" {
		t.Errorf("%v, %v, %v, %v", one, err, two, err2)
	}
	if key, err := note.Letter([]log.Envelope{line("/note/workspace/m-1-abcd", 1)}); err != nil ||
		len(key.String()) != len("/note/workspace/m-1-abcd") {
		t.Errorf("%s, %v", key, err)
	}
	for _, list := range [][]log.Envelope{nil, {line("/project/db", 1)}} {
		if key, err := note.Letter(list); !errors.Is(err, mem.ErrInput) {
			t.Errorf("%v: %s, %v", list, key, err)
		}
	}
}
