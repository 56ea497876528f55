package log_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// spellings are ways in which a line of a key may stand in a log.
var spellings = []func(e log.Envelope) string{
	func(e log.Envelope) string { return string(e.Line()) },
	func(e log.Envelope) string { return string(e.Line()) + "\r" },
	func(e log.Envelope) string { return "\ufeff" + string(e.Line()) },
	func(e log.Envelope) string {
		return strings.Replace(unsealedLine(e), `{"key":"/`, `{"key":"\/`, 1)
	},
	func(e log.Envelope) string {
		return strings.Replace(unsealedLine(e), `{"key":"/`, `{"key":"//`, 1)
	},
	func(e log.Envelope) string {
		return strings.Replace(unsealedLine(e), `","ts"`, `/","ts"`, 1)
	},
	func(e log.Envelope) string { return strings.Replace(unsealedLine(e), "é", "e\u0301", 1) },
	func(e log.Envelope) string {
		return strings.Replace(unsealedLine(e), `{"key"`, `{"x":1,"key"`, 1)
	},
	func(e log.Envelope) string { return " " + strings.Replace(string(e.Line()), ":", " : ", 1) },
}

func unsealedLine(e log.Envelope) string {
	line, _, _ := strings.Cut(string(e.Line()), `,"checksum"`)
	return line + "}"
}

// TestFindSeesWhatScanSees holds Find against Scan: every record of the keys that are sought, in
// every spelling, and every line that cannot be read unless it is plainly another key's.
func TestFindSeesWhatScanSees(t *testing.T) {
	t.Parallel()
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		keys := []string{"/a", "/a/b", "/caf\u00e9", `/q"uote`, "/牙科", "/ab"}
		var text []byte
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			e := envelope(rapid.SampledFrom(keys).Draw(t, "key"), "2026-02-22T10:00:00Z", `"s"`,
				rapid.SampledFrom([]string{"null", "1", `"/a"`}).Draw(t, "content"))
			text = append(text, rapid.SampledFrom(spellings).Draw(t, "spelling")(e)...)
			text = append(text, '\n')
		}
		want := keypath.MustParse(rapid.SampledFrom(keys).Draw(t, "sought"))
		found += sameFound(t, text, func(key keypath.Key) bool { return key == want },
			log.Find(bytes.NewReader(text), log.File, log.Start{}, log.Want(want)))
		under := rapid.SampledFrom(append(keys, "/", "/a/b/c", "/ca")).Draw(t, "prefix")
		p, err := keypath.ParsePrefix(under)
		if err != nil {
			t.Fatal(err)
		}
		found += sameFound(t, text, p.Holds,
			log.FindBelow(bytes.NewReader(text), log.File, log.Start{}, p))
	})
	if found < testkit.Extent(5, 40, 40) {
		t.Errorf("only %d records were sought", found)
	}
}

// sameFound compares what was found of a text with what a scan has of the keys that are sought.
func sameFound(t *rapid.T, text []byte, sought func(keypath.Key) bool,
	found iter.Seq2[log.Record, error]) (n int) {
	t.Helper()
	list := func(records iter.Seq2[log.Record, error]) (list []string) {
		for rec, err := range records {
			if err == nil && sought(rec.Key) {
				list = append(list, rec.Pos.String()+string(rec.Line))
			}
		}
		return list
	}
	got, want := list(found), list(log.Scan(bytes.NewReader(text), log.File, log.Start{}))
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("in\n%s\nfound %q\nwant  %q", text, got, want)
	}
	return len(got)
}

// TestContentIn looks for the content in what stands for it, in every spelling of a line.
func TestContentIn(t *testing.T) {
	t.Parallel()
	for _, source := range []string{`"s"`, `{"content":",\"content\":"}`} {
		e := envelope("/caf\u00e9", "2026-02-22T10:00:00Z", source, `{"text":"the content"}`)
		for i, spell := range spellings {
			if in := log.ContentIn([]byte(spell(e))); !bytes.Contains(in, []byte("the content")) {
				t.Errorf("%d: %s", i, in)
			}
		}
		in := log.ContentIn(e.Line())
		if bytes.Contains(in, []byte("key")) || bytes.Contains(in, []byte("checksum")) {
			t.Errorf("more than the content: %s", in)
		}
	}
}

func TestFindReportsDamageOfItsKey(t *testing.T) {
	t.Parallel()
	e := envelope("/a", "2026-02-22T10:00:00Z", `"s"`, `"content"`)
	line := strings.Replace(string(e.Line()), "content\":\"c", "content\":\"d", 1)
	for _, text := range []string{line + "\n", "\x00\x00\n", `{"kex` + line[6:] + "\n"} {
		n := 0
		for _, err := range log.Find(strings.NewReader(text), log.File, log.Start{},
			log.Want(e.Key)) {
			var damage *log.Damage
			if errors.As(err, &damage) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%q: %d damaged lines", text, n)
		}
	}
}

// Whichever bit of a line has flipped, FindFlipped yields it; a line of another key only where that
// is one bit from the key.
func TestFindFlippedSeesEveryFlippedBit(t *testing.T) {
	t.Parallel()
	e := envelope("/caf\u00e9", "2026-02-22T10:00:00Z", `"s"`, `"content"`)
	yields := func(raw []byte, w log.Wanted) (n int) {
		for range log.FindFlipped(bytes.NewReader(raw), log.File, log.Start{}, w) {
			n++
		}
		return n
	}
	for bit := range 8 * len(e.Line()) {
		raw := e.Line()
		raw[bit/8] ^= 1 << (bit % 8)
		if yields(append(raw, '\n'), log.Want(e.Key)) == 0 {
			t.Errorf("byte %d, bit %d: %q is passed over", bit/8, bit%8, raw)
		}
	}
	if n := yields(e.Line(), log.Want(keypath.MustParse("/tea"))); n != 0 {
		t.Error("a line of another key is read")
	}
	many := log.Wanted{}
	for i := range 2000 {
		many.Add(keypath.MustParse(fmt.Sprint("/many/", i)))
	}
	if n := yields(e.Line(), many); n != 1 {
		t.Error("of many keys, a line is passed over")
	}
}
