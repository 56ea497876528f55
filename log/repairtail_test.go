package log_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

func quarantined(t testing.TB, dir *disk.Dir) (all [][]byte) {
	t.Helper()
	entries, err := os.ReadDir(dir.Join(log.QuarantineDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, read(t, dir, log.QuarantineDir+"/"+e.Name()))
	}
	return all
}

// A log is cut at every byte, as a crash within a write may cut it, and repaired.
func TestRepairTailOfALogCutAnywhere(t *testing.T) {
	t.Parallel()
	lines := linesOf(samples())
	file := bytes.Join(lines, nil)
	next := append(realistic(1).Line(), '\n')
	for n := range len(file) + 1 {
		dir := openDir(t)
		put(t, dir, log.File, file[:n])
		whole := bytes.LastIndexByte(file[:n], '\n') + 1
		torn := file[whole:n]
		want := file[:whole]
		if n < len(file) && file[n] == '\n' { // complete but for its newline
			want, torn = file[:n+1], nil
		}
		live := openLive(t, dir)
		name, err := live.RepairTail(now)
		if err != nil || (name == "") != (len(torn) == 0) {
			t.Fatalf("cut at %d: %q, %v", n, name, err)
		}
		if name != "" && !bytes.Equal(read(t, dir, name), torn) || len(quarantined(t, dir)) > 1 {
			t.Fatalf("cut at %d: quarantine has %q, want %q", n, quarantined(t, dir), torn)
		}
		if got := read(t, dir, log.File); !bytes.Equal(got, want) ||
			live.Size() != int64(len(want)) {
			t.Fatalf("cut at %d: left %q", n, got)
		}
		must(t, live.Append(next))
		got := scanAll(live.From(0), log.Start{})
		if len(got.records) != bytes.Count(want, []byte("\n"))+1 || got.damage != nil ||
			got.err != nil {
			t.Fatalf("cut at %d: %d records, %v, %v", n, len(got.records), got.damage, got.err)
		}
		if last := got.records[len(got.records)-1]; !sameEnvelope(last.Envelope, realistic(1)) ||
			!last.Canonical {
			t.Fatalf("cut at %d: the new record became %s", n, last.Line)
		}
		live.Close()
	}
}

func TestRepairTail(t *testing.T) {
	t.Parallel()
	line := string(samples()[0].Line())
	const byHand = `{"content":1, "key":"/x", "source":"s", "ts":"2026-02-22T10:00:00Z"}`
	for _, c := range []struct{ name, file, want, torn string }{
		{"empty", "", "", ""},
		{"sound", line + "\n", line + "\n", ""},
		{"whole", line, line + "\n", ""},
		{"whole by hand", line + "\n" + byHand, line + "\n" + byHand + "\n", ""},
		{"whole with a carriage return", line + "\r", line + "\r\n", ""},
		{"whole with a byte order mark", "\ufeff" + line, "\ufeff" + line + "\n", ""},
		{"blank", line + "\n  ", line + "\n  \n", ""},
		{"byte order mark alone", "\ufeff", "\ufeff\n", ""},
		{"zeros", line + "\n\x00\x00\x00", line + "\n", "\x00\x00\x00"},
		{"damaged inside the file", "{\n" + line + "\n", "{\n" + line + "\n", ""},
		{"JSON, but no envelope", line + "\n{}", line + "\n", "{}"},
		{"two on a line", line + line, "", line + line},
	} {
		dir := openDir(t)
		put(t, dir, log.File, []byte(c.file))
		live := openLive(t, dir)
		name, err := live.RepairTail(now)
		if err != nil || (name != "") != (c.torn != "") ||
			string(read(t, dir, log.File)) != c.want {
			t.Errorf("%s: %q, %v, left %q", c.name, name, err, read(t, dir, log.File))
		}
		if q := quarantined(t, dir); c.torn != "" && (len(q) != 1 || string(q[0]) != c.torn) {
			t.Errorf("%s: quarantine %q", c.name, q)
		}
		if name, err := live.RepairTail(now); name != "" || err != nil {
			t.Errorf("%s: once more: %q, %v", c.name, name, err)
		}
	}
}

func TestRepairTailOfALongTail(t *testing.T) {
	t.Parallel()
	head := linesOf(samples())[0]
	for _, size := range []int{63, 64, 65, 4096, 1 << 20} {
		torn := bytes.Repeat([]byte("牙"), size)[:size]
		for _, before := range [][]byte{nil, head} {
			dir := openDir(t)
			put(t, dir, log.File, slices.Concat(before, torn))
			name, err := openLive(t, dir).RepairTail(now)
			if err != nil || !bytes.Equal(read(t, dir, name), torn) ||
				!bytes.Equal(read(t, dir, log.File), before) {
				t.Errorf("%d bytes behind %d: %q, %v", size, len(before), name, err)
			}
		}
	}
}

// Whatever call fails, the torn bytes are in the log or in quarantine/, no line is lost, and the
// next attempt succeeds.
func TestRepairTailSurvivesEveryFault(t *testing.T) {
	lines := linesOf(samples())
	for _, tail := range [][]byte{lines[1][:30], lines[1][:len(lines[1])-1]} {
		for nth, done := 0, false; !done; nth++ {
			dir := openDir(t)
			put(t, dir, log.File, slices.Concat(lines[0], tail))
			live := openLive(t, dir)
			calls := 0
			disk.SetHook(func(disk.Op, string) error {
				if calls++; calls == nth+1 {
					return errDisk
				}
				return nil
			})
			_, err := live.RepairTail(now)
			disk.SetHook(nil)
			if done = calls <= nth; done {
				must(t, err)
			} else if !errors.Is(err, errDisk) {
				t.Errorf("call %d: %v", nth, err)
			}
			got := read(t, dir, log.File)
			if !bytes.HasPrefix(got, lines[0]) {
				t.Fatalf("call %d: %q", nth, got)
			}
			if !bytes.Contains(got, tail) &&
				!slices.ContainsFunc(quarantined(t, dir),
					func(q []byte) bool { return bytes.Equal(q, tail) }) {
				t.Fatalf("call %d: bytes are gone", nth)
			}
			again := openLive(t, dir)
			if _, err := again.RepairTail(now); err != nil {
				t.Fatalf("call %d, then: %v", nth, err)
			}
			must(t, again.Append(lines[2]))
			if got := scanAll(again.From(0), log.Start{}); got.damage != nil ||
				!bytes.HasSuffix(read(t, dir, log.File), slices.Concat([]byte("\n"), lines[2])) {
				t.Fatalf("call %d: %+v", nth, got)
			}
		}
	}
}
