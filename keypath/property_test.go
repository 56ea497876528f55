package keypath_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/keypath"
)

// pieces are what awkward segments are made of; put together at random they meet at the joints that
// fuzzing of bytes seldom hits.
var pieces = []string{
	"a", "Z", "7", " ", ".", "-", "~", "%", "@", ":", "%2F", "牙", "é", "e\u0301", "\u0327",
	"\u0301", "\u09be", "\u1161", "👍", "\u200d",
	"con", "NUL", "com", "1", "²", "$", "CLOCK$", "~0123456789abcdef", ".json", "@a1b2c3.json",
	"..", "  ",
	strings.Repeat("x", 50), strings.Repeat("牙", 30), strings.Repeat("%", 40),
	strings.Repeat(" ", 90),
}

func drawKey(t *rapid.T, label string) keypath.Key {
	segments := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 9), 1, 4).Draw(t, label)
	var s strings.Builder
	for _, seg := range segments {
		s.WriteString("/" + strings.Join(seg, ""))
	}
	k, err := keypath.Parse(s.String())
	if err != nil {
		t.Skip(err)
	}
	return k
}

func TestPathsOfDrawnKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := drawKey(rt, "key")
		checkKey(t, k)
		checkPath(t, k.Path())
		checkRoundTrip(t, k)
		if t.Failed() {
			rt.Fatalf("%q", k)
		}
	})
}

func TestOneLetterMakesAnotherPath(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := drawKey(rt, "key")
		s := k.String()
		at := rapid.IntRange(1, len(s)).Draw(rt, "at")
		other, err := keypath.Parse(s[:at] + rapid.SampledFrom(pieces).Draw(rt, "piece") + s[at:])
		if err != nil || other == k {
			return
		}
		if k.Path() == other.Path() {
			rt.Fatalf("%q and %q share %q", k, other, k.Path())
		}
	})
}

func TestPrefixAgreesWithSegments(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := drawKey(rt, "key")
		for end := 1; end <= len(k.String()); end++ {
			whole := end == len(k.String()) || k.String()[end] == '/'
			p, err := keypath.ParsePrefix(k.String()[:end])
			if err != nil || p.String() != k.String()[:end] {
				continue
			}
			if want := whole || p.String() == "/"; p.Holds(k) != want {
				rt.Fatalf("%q holds %q: %v", p, k, !want)
			}
		}
	})
}
