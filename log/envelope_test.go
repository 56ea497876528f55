package log_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// documented returns the line of the package comment that begins so.
func documented(t *testing.T, prefix string) string {
	t.Helper()
	for line := range strings.Lines(log.FormatDoc()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, prefix) {
			return line
		}
	}
	t.Fatalf("no line %q... in the package comment", prefix)
	return ""
}

func TestWorkedLine(t *testing.T) {
	t.Parallel()
	line := documented(t, `{"key":`)
	got, err := log.Decode([]byte(line))
	want := samples()[0]
	want.TS = log.StampOf(now)
	if err != nil || !sameEnvelope(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	if again := string(want.Line()); again != line {
		t.Errorf("today's line is\n%s", again)
	}
	if _, err := log.DecodeStrict([]byte(line)); err != nil {
		t.Error(err)
	}
}

// The recipe of the package comment, in a shell that knows nothing of mem.
func TestChecksumByHand(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "tail", "sed", "tr", "sha256sum"} {
		testkit.Program(t, tool)
	}
	lines := [][]byte{[]byte(documented(t, `{"key":`) + "\n")}
	for _, line := range append(lines, linesOf(samples())...) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, log.File), line, 0o600))
		sh := exec.Command("sh", "-c", documented(t, "tail -n 1 log.jsonl"))
		sh.Dir = dir
		out, err := sh.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %s", err, out)
		}
		sum, _, _ := strings.Cut(string(out), " ")
		if want := log.Sum(bytes.TrimSpace(line)); sum != want ||
			!bytes.Contains(line, []byte(`"sha256:`+sum+`"}`)) {
			t.Errorf("%s: the shell says %s", line, sum)
		}
	}
}

// drawEnvelope draws an envelope that could have been given to a store.
func drawEnvelope(t *rapid.T) log.Envelope {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "Z", `"`, `\`, "牙", "😀", "e\u0301", "<&>",
		" x", "~", "%"}), 1, 8).Draw(t, "key")
	key, err := keypath.Parse("/" + strings.Join(parts, ""))
	if err != nil {
		t.Skip(err)
	}
	content, err := jsontext.Compact(nil, []byte(jsonText().Draw(t, "content")))
	if err != nil {
		t.Fatal(err)
	}
	source := jsontext.AppendString(nil, rapid.String().Draw(t, "source"))
	if rapid.Bool().Draw(t, "object") {
		source = fmt.Appendf(nil, `{"kind":"user","name":%s}`, source)
	}
	ts := rapid.Int64Range(int64(log.MinStamp), int64(log.MaxStamp)).Draw(t, "ts")
	return log.Envelope{Key: key, TS: log.Stamp(ts), Source: source, Content: content}
}

func TestLineRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		e := drawEnvelope(rt)
		line := e.Line()
		if bytes.ContainsAny(line, "\n\r") {
			rt.Fatalf("not one line: %q", line)
		}
		for _, decode := range []func([]byte) (log.Envelope, error){log.Decode, log.DecodeStrict} {
			if got, err := decode(line); err != nil || !sameEnvelope(got, e) {
				rt.Fatalf("%s: %+v, %v", line, got, err)
			}
		}
		if before := []byte("before"); !bytes.Equal(e.AppendLine(before), append(before, line...)) {
			rt.Fatalf("AppendLine: %s", e.AppendLine(before))
		}
		if !log.Sealed(line) || !log.Sealed(append(line, '\n')) || !log.Checksummed(line) {
			rt.Fatalf("not sealed: %s", line)
		}
	})
}

func TestIndentRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		line := drawEnvelope(rt).Line()
		text, err := log.Indent(line)
		if err != nil {
			rt.Fatal(err)
		}
		back, err := log.CompactLine(nil, text)
		if err != nil || !bytes.Equal(back, line) {
			rt.Fatalf("%s becomes %s, %v", line, back, err)
		}
		if e, err := log.Decode(text); err != nil || !bytes.Equal(e.Line(), line) {
			rt.Fatalf("an index file does not decode: %v", err)
		}
	})
}

func TestLineLeavesTextForGrep(t *testing.T) {
	t.Parallel()
	line := string(envelope("/牙科/<&>", "2026-02-22T10:00:00Z", `"用户"`, `"Ω <b>&</b> 😀"`).Line())
	for _, word := range []string{`"/牙科/<&>"`, "用户", "Ω <b>&</b> 😀"} {
		if !strings.Contains(line, word) {
			t.Errorf("grep does not find %q in %s", word, line)
		}
	}
}

func TestTombstoneIsNullOnly(t *testing.T) {
	t.Parallel()
	for content, live := range map[string]bool{"null": false, "{}": true, "[]": true, `""`: true,
		"0": true, "false": true, `"null"`: true, "[null]": true} {
		e := envelope("/a", "2026-02-22T10:00:00Z", `"s"`, content)
		back, err := log.Decode(e.Line())
		if err != nil || e.Valid() != live || back.Valid() != live {
			t.Errorf("%s: %v, %v, %v", content, e.Valid(), back.Valid(), err)
		}
		if valid := strings.Contains(string(e.Line()), `"valid":true`); valid != live {
			t.Errorf("%s: %s", content, e.Line())
		}
	}
}

// What is accepted as content or source alone can be read again inside its envelope.
func TestDeepestMembersComeBack(t *testing.T) {
	t.Parallel()
	deepest := nested("[", "]", jsontext.MaxDepth)
	e := envelope("/a", "2026-02-22T10:00:00Z", `{"a":`+nested("[", "]", jsontext.MaxDepth-1)+`}`, deepest)
	for _, member := range [][]byte{e.Source, e.Content} {
		if _, err := jsontext.Compact(nil, member); err != nil {
			t.Fatal(err)
		}
	}
	text, err := log.Indent(e.Line())
	must(t, err)
	if line, err := log.CompactLine(nil, text); err != nil || !bytes.Equal(line, e.Line()) {
		t.Errorf("%s, %v", line, err)
	}
	for _, decode := range []func([]byte) (log.Envelope, error){log.Decode, log.DecodeStrict} {
		if got, err := decode(text); err != nil || !sameEnvelope(got, e) {
			t.Error(err)
		}
	}
	_, err = log.CompactLine(nil, []byte(nested("[", "]", jsontext.MaxDepth+9)))
	if !errors.Is(err, jsontext.ErrJSON) {
		t.Error(err)
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	for _, e := range append(samples(), realistic(1)) {
		line := e.Line()
		for at := range line {
			for bit := range 8 {
				line[at] ^= 1 << bit
				for _, decode := range []func([]byte) (log.Envelope, error){log.Decode,
					log.DecodeStrict} {
					if got, err := decode(line); err == nil && !sameEnvelope(got, e) {
						t.Errorf("passes as another envelope: %s", line)
					}
				}
				line[at] ^= 1 << bit
			}
		}
	}
}

// A line that says the same in another layout is covered by its checksum; one that has lost a
// member that tells nothing, has one more, or spells its time otherwise is not.
func TestAChecksumCoversTheWholeLine(t *testing.T) {
	t.Parallel()
	line := string(samples()[0].Line())
	for _, c := range []struct {
		name, from, to string
		unsealed       bool
	}{
		{"as written", "", "", false},
		{"white space", `,"ts":`, ` , "ts" : `, false},
		{"a member's name", `"valid"`, `"walid"`, true},
		{"a member more", `{"key"`, `{"x":1,"key"`, true},
		{"a member less", `"valid":true,`, "", true},
		{"a time with a space", `T`, ` `, true},
		{"no checksum", `"checksum"`, `"checksul"`, true},
	} {
		text := line
		if at := strings.Index(line, `"ts":`); c.from == "T" {
			text = line[:at] + strings.Replace(line[at:], c.from, c.to, 1)
		} else if c.from != "" {
			text = strings.Replace(line, c.from, c.to, 1)
		}
		got := scanAll(strings.NewReader(text+"\n"), log.Start{})
		if len(got.records) != 1 || got.records[0].Unsealed != c.unsealed {
			t.Errorf("%s: %v, %v", c.name, got.records, got.damage)
		}
	}
}

func TestEveryCutLineIsFound(t *testing.T) {
	t.Parallel()
	for _, e := range samples() {
		line := e.Line()
		for n := range line {
			if _, err := log.Decode(line[:n]); err == nil {
				t.Errorf("passes: %s", line[:n])
			}
		}
	}
}

func TestIndentRefuses(t *testing.T) {
	t.Parallel()
	if out, err := log.Indent([]byte(`{"a":`)); err == nil {
		t.Errorf("%s", out)
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	line := samples()[0].Line()
	own := string(line[len(line)-66 : len(line)-2])
	if got := log.Sum(line); got != own {
		t.Errorf("%s, want the line's own %s", got, own)
	}
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := log.Sum(nil); got != empty {
		t.Errorf("sum of nothing: %s", got)
	}
	// Whatever a line ends in, its sum is hex: it goes into the watermark.
	for _, digits := range []string{strings.Repeat("G", 64), strings.Repeat(`"`, 64),
		strings.Repeat("A", 64), strings.Repeat(" ", 64)} {
		got := log.Sum([]byte(`{"a":1,"checksum":"sha256:` + digits + `"}`))
		if len(got) != 64 || strings.Trim(got, "0123456789abcdef") != "" {
			t.Errorf("%s: sum %q", digits, got)
		}
	}
}

func TestSeal(t *testing.T) {
	t.Parallel()
	text := log.Seal([]byte(`{"a":1}`))
	if !log.Sealed(text) || !log.Sealed(append(bytes.Clone(text), '\n')) {
		t.Errorf("not sealed: %s", text)
	}
	for at := range text {
		text[at] ^= 1
		if log.Sealed(text) {
			t.Errorf("still sealed: %s", text)
		}
		text[at] ^= 1
	}
	if log.Sealed([]byte(`{"a":1}`)) || log.Sealed(nil) || log.Checksummed(nil) {
		t.Error("sealed without a seal")
	}
}
