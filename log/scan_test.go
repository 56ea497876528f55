package log_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// bufferSize is that of the scanner; lines around it take another path.
const bufferSize = 256 << 10

type scanned struct {
	records []log.Record
	damage  []log.Damage
	err     error
}

func scanAll(r io.Reader, start log.Start) (got scanned) {
	for rec, err := range log.Scan(r, log.File, start) {
		var d *log.Damage
		switch {
		case errors.As(err, &d):
			kept := *d
			kept.Raw = bytes.Clone(d.Raw)
			got.damage = append(got.damage, kept)
		case err != nil:
			got.err = err
		default:
			got.records = append(got.records, rec.Clone())
		}
	}
	return got
}

// checkPositions holds every position against the bytes of the file.
func checkPositions(t tb, file []byte, got scanned) {
	t.Helper()
	at := func(p log.Pos, line []byte) {
		t.Helper()
		raw := file[p.Off:p.After().Off]
		switch {
		case p.File != log.File || p.Line != 1+bytes.Count(file[:p.Off], []byte("\n")):
			t.Fatalf("%s: wrong line number", p)
		case p.Off > 0 && file[p.Off-1] != '\n', bytes.IndexByte(raw[:len(raw)-1], '\n') >= 0,
			raw[len(raw)-1] != '\n' && p.After().Off != int64(len(file)):
			t.Fatalf("%s: not one line: %.80q", p, raw)
		case line != nil && !bytes.Equal(bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff"))),
			line):
			t.Fatalf("%s: %.80q, want %.80q", p, raw, line)
		}
	}
	for _, r := range got.records {
		if r.Canonical {
			at(r.Pos, r.Line)
		} else {
			at(r.Pos, nil)
		}
	}
	for _, d := range got.damage {
		at(d.Pos, nil)
		if raw := file[d.Pos.Off:d.Pos.After().Off]; !bytes.HasPrefix(raw, d.Raw) ||
			len(d.Raw) < min(len(raw), log.MaxLine) {
			t.Fatalf("%s: raw %.80q, want %.80q", d.Pos, d.Raw, raw)
		}
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	lines := linesOf(samples())
	a, b := string(lines[0]), string(lines[1])
	bare := strings.TrimSuffix(b, "\n")
	const byHand = `{"content":1, "key":"/x", "source":"s", "ts":"2026-02-22T10:00:00Z"}` + "\n"
	for _, c := range []struct {
		name, file string
		records    []int // their line numbers
		damage     []int
		reason     error
	}{
		{"empty", "", nil, nil, nil},
		{"one", a, []int{1}, nil, nil},
		{"two", a + b, []int{1, 2}, nil, nil},
		{"no newline at the end", a + bare, []int{1, 2}, nil, nil},
		{"blank lines", "\n" + a + "\n \t\n" + b + "\n\n", []int{2, 5}, nil, nil},
		{"nothing but blank lines", "\n\n\n", nil, nil, nil},
		{"blank without a newline", a + "  ", []int{1}, nil, nil},
		{"carriage returns", strings.ReplaceAll(a+"\n"+b, "\n", "\r\n"), []int{1, 3}, nil, nil},
		{"carriage return, no newline", a + bare + "\r", []int{1, 2}, nil, nil},
		{"byte order mark", "\ufeff" + a + b, []int{1, 2}, nil, nil},
		{"byte order mark alone", "\ufeff", nil, nil, nil},
		{"two such files joined", "\ufeff" + a + "\ufeff" + b, []int{1, 2}, nil, nil},
		{"by hand", a + byHand + b, []int{1, 2, 3}, nil, nil},
		{"damaged in the middle", a + "{\n" + b, []int{1, 3}, []int{2}, jsontext.ErrJSON},
		{"damaged in front", "\x00\x00\n" + a, []int{2}, []int{1}, jsontext.ErrJSON},
		{"not an envelope", "[]\n" + a + "{}\n", []int{2}, []int{1, 3}, log.ErrEnvelope},
		{"checksum", a + strings.Replace(b, `"n":1.0`, `"n":9.0`, 1) + a, []int{1, 3}, []int{2}, log.ErrChecksum},
		{"damaged at the end, with a newline", a + "{\n", []int{1}, []int{2}, jsontext.ErrJSON},
		{"torn", a + bare[:40], []int{1}, []int{2}, log.ErrTorn},
		{"torn but for the brace", a + bare[:len(bare)-1], []int{1}, []int{2}, log.ErrTorn},
		{"torn first line", a[:1], nil, []int{1}, log.ErrTorn},
		{"torn in zeros", a + strings.Repeat("\x00", 100), []int{1}, []int{2}, log.ErrTorn},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := scanAll(strings.NewReader(c.file), log.Start{})
			checkPositions(t, []byte(c.file), got)
			var records, damage []int
			for _, r := range got.records {
				records = append(records, r.Pos.Line)
			}
			for _, d := range got.damage {
				damage = append(damage, d.Pos.Line)
				if !errors.Is(&d, c.reason) || !strings.HasPrefix(d.Error(), d.Pos.String()) {
					t.Errorf("%s: want %v", &d, c.reason)
				}
				if torn := errors.Is(&d, log.ErrTorn); torn != (c.reason == log.ErrTorn) {
					t.Errorf("%s: torn %v", &d, torn)
				}
			}
			if !slices.Equal(records, c.records) || !slices.Equal(damage, c.damage) ||
				got.err != nil {
				t.Errorf("records %v, want %v; damage %v, want %v; %v", records, c.records, damage,
					c.damage, got.err)
			}
		})
	}
}

func TestScanGivesCanonicalLines(t *testing.T) {
	t.Parallel()
	want := samples()[1]
	text, err := log.Indent(want.Line())
	must(t, err)
	file := slices.Concat(want.Line(), []byte("\n"),
		bytes.ReplaceAll(text, []byte("\n"), []byte(" ")), []byte("\r\n"))
	got := scanAll(bytes.NewReader(file), log.Start{})
	if len(got.records) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, r := range got.records {
		if !bytes.Equal(r.Line, want.Line()) || r.Canonical != (i == 0) ||
			!sameEnvelope(r.Envelope, want) {
			t.Errorf("%v: %s", r.Canonical, r.Line)
		}
	}
}

func TestScanFromTheMiddle(t *testing.T) {
	t.Parallel()
	lines := linesOf(samples())
	file := bytes.Join(lines, nil)
	off := int64(0)
	for i := range lines {
		got := scanAll(bytes.NewReader(file[off:]), log.Start{Off: off, Line: i})
		if len(got.records) != len(lines)-i || got.err != nil || got.damage != nil {
			t.Fatalf("from %d: %+v", i, got)
		}
		checkPositions(t, file, got)
		off += int64(len(lines[i]))
	}
}

// padded returns a line, with its newline, of exactly size bytes.
func padded(size int) []byte {
	e := envelope("/long", "2026-02-22T10:00:00Z", `"s"`, `""`)
	e.Content = fmt.Appendf(nil, `"%s"`, strings.Repeat("x", size-len(e.Line())-1))
	return append(e.Line(), '\n')
}

func TestScanLongLines(t *testing.T) {
	t.Parallel()
	small := linesOf(samples())[0]
	for _, size := range []int{bufferSize - 1, bufferSize, bufferSize + 1, 2 * bufferSize,
		2*bufferSize + 1, 1 << 20, log.MaxLine - 1, log.MaxLine} {
		file := slices.Concat(small, padded(size), small, padded(size)[:size-1])
		got := scanAll(bytes.NewReader(file), log.Start{})
		if len(got.records) != 4 || got.damage != nil || got.err != nil {
			t.Fatalf("%d: %d records, %v, %v", size, len(got.records), got.damage, got.err)
		}
		checkPositions(t, file, got)
	}
}

func TestScanTooLongLines(t *testing.T) {
	t.Parallel()
	small := linesOf(samples())[0]
	for _, size := range []int{log.MaxLine + 1, log.MaxLine + bufferSize, 3 * log.MaxLine} {
		file := slices.Concat(small, padded(size), small)
		got := scanAll(bytes.NewReader(file), log.Start{})
		if len(got.records) != 2 || len(got.damage) != 1 || got.err != nil {
			t.Fatalf("%d: %d records, %v, %v", size, len(got.records), got.damage, got.err)
		}
		checkPositions(t, file, got)
		if d := got.damage[0]; !errors.Is(&d, log.ErrLineTooLong) || len(d.Raw) != log.MaxLine ||
			d.Pos.Len != int64(size) {
			t.Errorf("%s, raw %d bytes", &d, len(d.Raw))
		}
	}
}

func TestScanReaderErrorIsLast(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	lines := linesOf(samples())
	whole := bytes.Join(lines[:2], nil)
	for _, file := range [][]byte{nil, whole, whole[:len(whole)-10],
		slices.Concat(whole, padded(3 * bufferSize)[:2*bufferSize+7])} {
		r := io.MultiReader(bytes.NewReader(file), iotest.ErrReader(broken))
		seen := 0
		var last error
		for _, err := range log.Scan(r, log.File, log.Start{}) {
			seen++
			last = err
			if err != nil && !errors.Is(err, broken) {
				t.Error(err)
			}
		}
		if want := bytes.Count(file, []byte("\n")) + 1; seen != want || !errors.Is(last, broken) {
			t.Errorf("%d steps, the last %v; want %d", seen, last, want)
		}
	}
}

func TestScanStops(t *testing.T) {
	t.Parallel()
	file := slices.Concat([]byte("{\n"), bytes.Join(linesOf(samples()), nil))
	for range log.Scan(bytes.NewReader(file), log.File, log.Start{}) {
		break
	}
	n := 0
	for range log.Scan(bytes.NewReader(file), log.File, log.Start{}) {
		if n++; n == 2 {
			break
		}
	}
}

func TestScanStrict(t *testing.T) {
	t.Parallel()
	bad := log.Seal([]byte(`{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":{"a":1,"a":2}}`))
	file := slices.Concat(bad, []byte("\n"), linesOf(samples())[0])
	var faults, records int
	for _, err := range log.ScanStrict(bytes.NewReader(file), log.File, log.Start{}) {
		if errors.Is(err, jsontext.ErrJSON) {
			faults++
		} else if err == nil {
			records++
		}
	}
	if faults != 1 || records != 1 {
		t.Errorf("%d faults, %d records", faults, records)
	}
}

func TestScanGivesBackWhatWasWritten(t *testing.T) {
	t.Parallel()
	between := rapid.SampledFrom([]string{"", "", "\n", "\r\n", " \n\n", "{\n", "\x00\n", `{"key":1}` + "\n"})
	rapid.Check(t, func(rt *rapid.T) {
		var file []byte
		var want []log.Envelope
		for range rapid.IntRange(0, 5).Draw(rt, "n") {
			e := drawEnvelope(rt)
			want = append(want, e)
			file = append(file, between.Draw(rt, "between")...)
			file = append(e.AppendLine(file), '\n')
		}
		var r io.Reader = bytes.NewReader(file)
		if rapid.Bool().Draw(rt, "slow") {
			r = iotest.HalfReader(r)
		}
		got := scanAll(r, log.Start{})
		same := slices.EqualFunc(got.records, want,
			func(r log.Record, e log.Envelope) bool { return sameEnvelope(r.Envelope, e) })
		if !same || got.err != nil {
			rt.Fatalf("%s\n%+v", file, got)
		}
		checkPositions(rt, file, got)
	})
}

func TestScanNeverGivesAnotherRecord(t *testing.T) {
	t.Parallel()
	want := samples()[:3]
	file := bytes.Join(linesOf(want), nil)
	for at := range file {
		for bit := range 8 {
			file[at] ^= 1 << bit
			for _, r := range scanAll(bytes.NewReader(file), log.Start{}).records {
				if !slices.ContainsFunc(want,
					func(e log.Envelope) bool { return sameEnvelope(e, r.Envelope) }) {
					t.Errorf("bit %d of byte %d: %s", bit, at, r.Line)
				}
			}
			file[at] ^= 1 << bit
		}
	}
}

func TestRecordClone(t *testing.T) {
	t.Parallel()
	file := bytes.Join(linesOf(samples()), nil)
	file = append(file, `{"content":{"x" : 1},"source": "by hand","ts":"2026-02-22T10:00:00Z","key":"/hand"}`...)
	var kept []log.Record
	var texts []string
	for rec, err := range log.Scan(bytes.NewReader(file), log.File, log.Start{}) {
		must(t, err)
		c := rec.Clone()
		kept, texts = append(kept, c), append(texts, fmt.Sprintf("%+v", rec))
		for _, b := range [][]byte{rec.Line, rec.Source, rec.Content} {
			clear(b)
		}
	}
	for i, rec := range kept {
		if got := fmt.Sprintf("%+v", rec); got != texts[i] {
			t.Errorf("%s\nwas %s", got, texts[i])
		}
		line := bytes.Clone(rec.Line)
		_, _ = append(rec.Source, "!!!!!!!!!!!!"...), append(rec.Content, "!!!!!!!!!!!!"...)
		if !bytes.Equal(rec.Line, line) {
			t.Errorf("what is appended to a member runs over the line: %s", rec.Line)
		}
	}
}

// A record that did not come from a scan may have any line.
func TestRecordCloneOfAnotherLine(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "x", `{"source":"s","content":1}`, string(samples()[1].Line()) + " "} {
		rec := log.Record{Envelope: samples()[1], Line: []byte(line)}
		got := rec.Clone()
		for _, b := range [][]byte{rec.Line, rec.Source, rec.Content} {
			clear(b)
		}
		if !sameEnvelope(got.Envelope, samples()[1]) || string(got.Line) != line {
			t.Errorf("%q: %s, %s", line, got.Source, got.Content)
		}
	}
}

func TestWins(t *testing.T) {
	t.Parallel()
	at := func(ts, content string) log.Record {
		e := envelope("/a", ts, `"s"`, content)
		return log.Record{Envelope: e, Line: e.Line()}
	}
	older, newer, greater := at("2026-02-22T10:00:00Z", "2"), at("2026-02-22T10:00:01Z", "1"),
		at("2026-02-22T10:00:00Z", "3")
	unsealed, lateUnsealed := greater, newer
	unsealed.Unsealed, lateUnsealed.Unsealed = true, true
	for _, c := range []struct {
		name     string
		old, rec log.Record
		want     bool
	}{
		{"newer", older, newer, true}, {"older", newer, older, false},
		{"same time, greater line", older, greater, true},
		{"same time, lesser line", greater, older, false},
		{"itself", older, older, false},
		{"same time, sealed", unsealed, older, true},
		{"same time, without a checksum", older, unsealed, false},
		{"newer without a checksum", older, lateUnsealed, true},
	} {
		if got := c.rec.Wins(c.old); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
