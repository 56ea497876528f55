package log_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func mendLine(t *testing.T, key, content string) []byte {
	k, err := keypath.Parse(key)
	if err != nil {
		t.Fatal(err)
	}
	return log.Envelope{Key: k, TS: 1771754400000000, Source: []byte(`"me"`),
		Content: []byte(content)}.Line()
}

// Whichever bit of a line, or of the line break between two, has flipped: the checksum says which.
func TestMendFindsTheFlippedBit(t *testing.T) {
	one, two := mendLine(t, "/a", "null"), mendLine(t, "/b", `"x"`)
	text := append(append(append(bytes.Clone(one), '\n'), two...), '\n')
	for bit := range 8 * len(text) {
		if bit%8 != bit/8%8 && text[bit/8] != '\n' {
			continue // one bit of each byte, and all those of the line breaks
		}
		raw := bytes.Clone(text)
		raw[bit/8] ^= 1 << (bit % 8)
		list := log.Mend(raw)
		if len(list) != 2 || !bytes.Equal(list[0].Line(), one) ||
			!bytes.Equal(list[1].Line(), two) {
			t.Fatalf("byte %d, bit %d: %d envelopes", bit/8, bit%8, len(list))
		}
	}
}

// Two flipped bits, a line without a checksum and one past 4 KiB stay damaged.
func TestMendLeavesTheRest(t *testing.T) {
	line := mendLine(t, "/a", "null")
	line[8] ^= 1
	line[30] ^= 1
	long := mendLine(t, "/a", `"`+strings.Repeat("x", 5000)+`"`)
	long[8] ^= 1
	for name, raw := range map[string][]byte{"two bits": line, "long": long, "none": nil,
		"no checksum": []byte(`{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","source":"me",` +
			`"content":nulm}` + "\n")} {
		if list := log.Mend(raw); list != nil {
			t.Errorf("%s: %d envelopes", name, len(list))
		}
	}
}
