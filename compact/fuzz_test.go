package compact

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/set-memory/mem/log"
)

// What is read as a checkpoint is sealed, and says in every member what is written again from it; anything else is refused as damaged or as newer.
func FuzzCheckpoint(f *testing.F) {
	cp := Checkpoint{V: 1, Ino: 77, Offset: 12345, Lines: 40, Last: "ab", MaxText: "2026-02-22T10:00:00.000001Z", Keys: 3, StateSize: 99, StateSum: "cd", Written: "2026-02-22T10:00:00.000002Z"}
	for _, change := range []func(*Checkpoint){
		func(*Checkpoint) {}, func(c *Checkpoint) { c.V = 2 }, func(c *Checkpoint) { c.Offset = -1 }, func(c *Checkpoint) { c.MaxText = "" }, func(c *Checkpoint) { c.StateSize = 1 << 62 },
	} {
		c := cp
		change(&c)
		text, err := json.Marshal(c)
		if err != nil {
			f.Fatal(err)
		}
		sealed := log.Seal(text)
		f.Add(append(bytes.Clone(sealed), '\n'))
		f.Add(sealed[:len(sealed)/2])
	}
	f.Add([]byte(`{"v":1}`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		texts := [][]byte{text}
		if object := bytes.TrimSpace(text); bytes.HasPrefix(object, []byte{'{'}) && bytes.HasSuffix(object, []byte{'}'}) {
			texts = append(texts, log.Seal(bytes.Clone(object)))
		}
		for _, text := range texts {
			c, err := parseCheckpoint(text)
			switch {
			case errors.Is(err, ErrCheckpoint) || errors.Is(err, log.ErrNewer):
			case err != nil:
				t.Errorf("%q: %v", text, err)
			case !log.Sealed(text) || c.Offset < 0 || c.StateSize < 0 || c.MaxTS < log.MinStamp || c.MaxTS > log.MaxStamp:
				t.Errorf("%q passes as %+v", text, c)
			}
		}
	})
}
