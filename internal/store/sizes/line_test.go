package sizes

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const ts = "2026-02-22T10:00:00.000000Z"

// canonical returns a line as mem writes it, without its newline.
func canonical(key, content string) string {
	at, err := log.ParseTime(ts)
	if err != nil {
		panic(err)
	}
	e := log.Envelope{Key: keypath.MustParse(key), TS: at, Source: []byte(`"s"`),
		Content: []byte(content)}
	return string(e.Line())
}

func TestLinesThatCount(t *testing.T) {
	live, dead := canonical("/session/a/x", `{"n":1}`), canonical("/session/a/x", "null")
	bare := `{"key":"/session/a/x","ts":"` + ts + `","valid":true,"source":"s","content":1}`
	for name, c := range map[string]struct {
		raw     string
		counts  bool
		deleted bool
	}{
		"as mem writes it": {raw: live + "\n", counts: true},
		"a tombstone":      {raw: dead + "\n", counts: true, deleted: true},
		"another checksum": {raw: live[:len(live)-9] + `0000000"}` + "\n", counts: true},
		"no checksum":      {raw: bare + "\n", counts: true},
		"carriage return":  {raw: live + "\r\n", counts: true},
		"byte order mark":  {raw: "\ufeff" + live + "\n", counts: true},
		"white space":      {raw: " " + strings.Replace(live, ":", " : ", 1) + "\n", counts: true},
		"escapes in the key": {
			raw: strings.Replace(bare, "/session", `\/s\u0065ssion`, 1) + "\n", counts: true,
		},
		"another spelling": {
			raw: strings.Replace(bare, "/a/x", "//a/x/", 1) + "\n", counts: true,
		},
		"another order": {
			raw:    `{"ts":"` + ts + `",` + `"key":"/session/a/x","content":null,"source":{}}` + "\n",
			counts: true, deleted: true,
		},
		"another spelling of the ts": {
			raw: strings.Replace(bare, ts, "2026-02-22T10:00Z", 1) + "\n", counts: true,
		},
		"content cut in two":      {raw: live[:len(live)-90] + "\n", counts: true},
		"the last line":           {raw: live, counts: true},
		"torn":                    {raw: live[:len(live)-1]},
		"torn before the ts":      {raw: live[:40] + "\n"},
		"no time":                 {raw: strings.Replace(bare, "02-22", "02-31", 1) + "\n"},
		"no source":               {raw: strings.Replace(bare, `"source":"s",`, "", 1)},
		"the conversation itself": {raw: canonical("/session/a", "1") + "\n"},
		"no id":                   {raw: canonical("/session/a-b/x", "1") + "\n"},
		"another key":             {raw: canonical("/note/session/a", "1") + "\n"},
		"nothing":                 {raw: "\n"},
		"no JSON":                 {raw: "/session/a/x\n"},
		"too long": {
			raw: canonical("/session/a/x", `"`+strings.Repeat("x", log.MaxLine)+`"`) + "\n",
		},
	} {
		l, ok := readLine([]byte(c.raw))
		want := keypath.Key{}
		if c.counts {
			want = keypath.MustParse("/session/a/x")
		}
		if ok != c.counts || l.Key != want || l.Deleted != c.deleted ||
			ok && string(l.Text) != strings.TrimSuffix(c.raw, "\n") {
			t.Errorf("%s: %v %+v", name, ok, l)
		}
		if ok && l.TS.String() != ts {
			t.Errorf("%s: at %s", name, l.TS)
		}
	}
}

// Lines are found whatever the buffers hold of them; one that is too long hides no other.
func TestLinesOfAnyLength(t *testing.T) {
	var text bytes.Buffer
	sizes := []int{1, 300 << 10, 2, log.MaxLine + 5, 3, 256 << 10, 2 * log.MaxLine, 4}
	var want []int
	for _, n := range sizes {
		line := canonical("/session/a/x", `"`+strings.Repeat("x", n)+`"`)
		text.WriteString(line + "\n")
		if len(line) < log.MaxLine {
			want = append(want, len(line))
		}
	}
	for name, r := range map[string]io.Reader{
		"whole": bytes.NewReader(text.Bytes()),
		"parts": iotest.HalfReader(bytes.NewReader(text.Bytes())),
	} {
		var got []int
		for l, err := range readLines(r) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, len(l.Text))
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d lines, want %d", name, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: line %d has %d bytes, want %d", name, i, got[i], want[i])
			}
		}
	}
	failed := errors.New("failed")
	var last error
	for _, err := range readLines(io.MultiReader(&text, iotest.ErrReader(failed))) {
		last = err
	}
	if !errors.Is(last, failed) {
		t.Errorf("an error of the reader: %v", last)
	}
}

// Whatever log.Decode can read, counts as it says.
func FuzzRead(f *testing.F) {
	live := canonical("/session/a/x", `{"n":1}`)
	for _, seed := range []string{
		live, canonical("/session/a/x", "null"), canonical("/note/x", "1"), live[:90],
		"\ufeff" + live,
		`{"key":"/session/a/x","ts":"2026-02-22","source":{},"content":null}`,
		`{"key":"\/session/a/x","ts":"` + ts + `","valid":true,"source":"s","content":1}`,
		`{"key":"/session/a/x","ts":"` + ts + `","valid":true,"source":"s","content":1,"key":"/y"}`,
		`{"key":"/session/a/x","ts":"` + ts + `","valid":false,"source":"s","content":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.IndexByte(text, '\n') >= 0 {
			return
		}
		e, err := log.Decode(trim(text))
		l, ok := readLine(append(bytes.Clone(text), '\n'))
		if _, counts := e.Key.SizedBelow(); err == nil && counts != ok {
			t.Fatalf("counts: %v, want %v", ok, counts)
		}
		if err == nil && ok && (l.Key != e.Key || l.TS != e.TS || l.Deleted == e.Valid() ||
			string(l.Text) != string(text)) {
			t.Fatalf("%+v, want %+v", l, e)
		}
		if last, too := readLine(text); too && (!ok || last.Key != l.Key || last.TS != l.TS) {
			t.Fatalf("without its newline %+v, with it %+v", last, l)
		}
	})
}
