package state

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/log"
)

// What is read as a checkpoint has a right checksum, and every member is the same when it is
// written again; anything else is refused as damaged or as newer.
func FuzzCheckpoint(f *testing.F) {
	good := `{"v":1,"ino":77,"offset":12345,"lines":40,"last":"ab","max_ts":"2026-02-22T10:00:00.000001Z",` +
		`"keys":3,"state_size":99,"state_sum":"cd","written":"2026-02-22T10:00:00.000002Z"}`
	for _, change := range [][2]string{
		{"", ""}, {`"v":1`, `"v":2`}, {`:12345`, `:-1`}, {`2026-02-22T10:00:00.000001Z`, ``}, {`:99`, `:-9`},
	} {
		sealed := log.Seal([]byte(strings.Replace(good, change[0], change[1], 1)))
		f.Add(append(bytes.Clone(sealed), '\n'))
		f.Add(sealed[:len(sealed)/2])
	}
	f.Add([]byte(`{"v":1}`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		texts := [][]byte{text}
		if object := bytes.TrimSpace(text); bytes.HasPrefix(object, []byte{'{'}) &&
			bytes.HasSuffix(object, []byte{'}'}) {
			texts = append(texts, log.Seal(bytes.Clone(object)))
		}
		for _, text := range texts {
			c, err := ParseCheckpoint(text)
			switch {
			case errors.Is(err, ErrCheckpoint) || errors.Is(err, log.ErrNewer):
			case err != nil:
				t.Errorf("%q: %v", text, err)
			case !log.Sealed(text) || c.Size < 0 || c.MaxTS < log.MinStamp ||
				c.MaxTS > log.MaxStamp:
				t.Errorf("%q passes as %+v", text, c)
			}
		}
	})
}
