package log_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

func openLive(t testing.TB, dir *disk.Dir) *log.Appender {
	t.Helper()
	live, err := log.OpenAppender(dir)
	must(t, err)
	t.Cleanup(func() { live.Close() })
	return live
}

// errDisk is the fault that the hook puts in.
var errDisk = errors.New("injected")

// inject lets every call of one kind fail until the returned function is called.
func inject(t testing.TB, fault error, ops ...disk.Op) (heal func()) {
	t.Helper()
	disk.SetHook(func(op disk.Op, _ string) error {
		if slices.Contains(ops, op) {
			return fault
		}
		return nil
	})
	t.Cleanup(func() { disk.SetHook(nil) })
	return func() { disk.SetHook(nil) }
}

func TestAppend(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	live := openLive(t, dir)
	var want []byte
	for _, line := range linesOf(samples()) {
		must(t, live.Append(line))
		want = append(want, line...)
		if got := read(t, dir, log.File); !bytes.Equal(got, want) ||
			live.Size() != int64(len(want)) {
			t.Fatalf("size %d\n%s\nwant\n%s", live.Size(), got, want)
		}
	}
	again := openLive(t, dir)
	if again.Size() != live.Size() || again.Ino() != live.Ino() || again.Ino() == 0 {
		t.Errorf("size %d and %d, inode %d and %d", again.Size(), live.Size(), again.Ino(),
			live.Ino())
	}
	if fi, err := os.Stat(dir.Join(log.File)); err != nil || fi.Mode() != disk.FileMode {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
}

func TestSegmentFrom(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	lines := linesOf(samples())
	put(t, dir, log.File, bytes.Join(lines, nil))
	live, err := log.OpenSegment(dir)
	must(t, err)
	defer live.Close()
	off := int64(len(lines[0]))
	live.Limit(off + int64(len(lines[1])))
	if got, err := io.ReadAll(live.From(off)); err != nil || !bytes.Equal(got, lines[1]) {
		t.Errorf("%s, %v", got, err)
	}
	live.Limit(1 << 40)
	if live.Size() != off+int64(len(lines[1])) {
		t.Errorf("a clip to more made it %d", live.Size())
	}
}

func TestOpenSegmentMakesNothing(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	if _, err := log.OpenSegment(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir.Path()); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestFailedAppendLeavesNothing(t *testing.T) {
	lines := linesOf(samples())
	for _, c := range []struct {
		name    string
		op      disk.Op
		fault   error
		trusted bool // whether the descriptor may go on
	}{
		{"write error", disk.OpWrite, errDisk, true},
		{"short write", disk.OpWrite, &disk.Short{Err: errDisk}, true},
		{"sync error", disk.OpSync, errDisk, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := openDir(t)
			live := openLive(t, dir)
			must(t, live.Append(lines[0]))
			heal := inject(t, c.fault, c.op)
			if err := live.Append(slices.Concat(lines[1], lines[2])); !errors.Is(err, errDisk) {
				t.Errorf("error %v", err)
			}
			heal()
			if got := read(t, dir, log.File); !bytes.Equal(got, lines[0]) ||
				live.Size() != int64(len(lines[0])) {
				t.Fatalf("left behind: %s", got)
			}
			if err := live.Append(lines[3]); (err == nil) != c.trusted || err != nil &&
				!errors.Is(err, errDisk) {
				t.Errorf("again on the same descriptor: %v", err)
			}
			if !c.trusted {
				must(t, openLive(t, dir).Append(lines[3]))
			}
			if got := read(t, dir, log.File); !bytes.Equal(got, slices.Concat(lines[0], lines[3])) {
				t.Errorf("after the next append:\n%s", got)
			}
		})
	}
}

func TestFailedCutIsNotBuiltUpon(t *testing.T) {
	lines := linesOf(samples())
	dir := openDir(t)
	live := openLive(t, dir)
	must(t, live.Append(lines[0]))
	heal := inject(t, &disk.Short{Err: errDisk}, disk.OpWrite, disk.OpTruncate)
	if err := live.Append(lines[1]); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	heal()
	torn := read(t, dir, log.File)
	if err := live.Append(lines[2]); !errors.Is(err, errDisk) {
		t.Errorf("appended behind a torn line: %v", err)
	}
	if got := read(t, dir, log.File); !bytes.Equal(got, torn) || len(torn) == len(lines[0]) {
		t.Fatalf("%s", got)
	}
	next := openLive(t, dir)
	if name, err := next.RepairTail(now); err != nil || name == "" {
		t.Fatal(name, err)
	}
	must(t, next.Append(lines[2]))
	if got := read(t, dir, log.File); !bytes.Equal(got, slices.Concat(lines[0], lines[2])) {
		t.Errorf("%s", got)
	}
}

func TestOpenAppenderFaults(t *testing.T) {
	for _, op := range []disk.Op{disk.OpCreate, disk.OpSync} {
		dir := openDir(t)
		heal := inject(t, errDisk, op)
		if _, err := log.OpenAppender(dir); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", op, err)
		}
		heal()
		must(t, openLive(t, dir).Append(linesOf(samples())[0]))
	}
}

func TestSumBefore(t *testing.T) {
	t.Parallel()
	sealed := samples()[0].Line()
	byHand := []byte(`{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":"` + strings.Repeat("牙", 100) + `"}`)
	long := padded(3 << 20)
	longByHand := append(bytes.Repeat([]byte("x"), 2<<20), '\n')
	file := slices.Concat(sealed, []byte("\n"), byHand, []byte("\n"), sealed, []byte("\r\n"),
		byHand, []byte(" \r\n"), long, longByHand,
		[]byte("x\n\n"), bytes.Repeat([]byte("y"), 86), []byte("\n"), sealed, []byte("\n"))
	dir := openDir(t)
	put(t, dir, log.File, file)
	live := openLive(t, dir)
	from := 0
	for to := range file {
		if file[to] != '\n' {
			continue
		}
		want := log.Sum(bytes.TrimSpace(file[from:to]))
		if got, err := live.SumBefore(int64(to + 1)); err != nil || got != want {
			t.Errorf("line at %d to %d: %q, %v; want %q", from, to, got, err, want)
		}
		for _, inside := range []int{from + 1, (from + to) / 2, to} {
			if got, err := live.SumBefore(int64(inside)); inside > from && inside <= to &&
				(err != nil || got != "") {
				t.Errorf("inside, at %d: %q, %v", inside, got, err)
			}
		}
		from = to + 1
	}
	for _, off := range []int64{0, live.Size() + 1, 1 << 40} {
		if got, err := live.SumBefore(off); err != nil || got != "" {
			t.Errorf("at %d: %q, %v", off, got, err)
		}
	}
}

func TestSumBeforeOfALineTooLongToHold(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	file := append(bytes.Repeat([]byte("x"), log.MaxLine+100), '\n')
	put(t, dir, log.File, file)
	live := openLive(t, dir)
	before, err := live.SumBefore(live.Size())
	must(t, err)
	file[len(file)-5] = 'y'
	put(t, dir, log.File, file)
	after, err := live.SumBefore(live.Size())
	must(t, err)
	if len(before) != 64 || len(after) != 64 || before == after {
		t.Errorf("%q, %q", before, after)
	}
}

func TestArchives(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	if got, err := log.Archives(dir); err != nil || got != nil {
		t.Errorf("without a directory: %v, %v", got, err)
	}
	must(t, dir.Mkdir(log.ArchiveDir))
	must(t, dir.Mkdir(log.ArchiveDir+"/log_dir.jsonl"))
	must(t, os.Symlink("/etc/passwd", dir.Join(log.ArchiveDir+"/log_link.jsonl")))
	var want []string
	times := slices.Repeat([]time.Time{now}, 12) // the tenth of a second comes after the second
	for _, at := range append(times, now.Add(time.Second),
		now.In(time.FixedZone("", 3600)).Add(time.Hour)) {
		name, err := log.ArchiveName(dir, at, func(string) bool { return false })
		must(t, err)
		put(t, dir, name, nil)
		want = append(want, name)
	}
	for _, other := range []string{"notes.txt", disk.TempPrefix + "0123456789abcdef"} {
		put(t, dir, log.ArchiveDir+"/"+other, nil)
	}
	got, err := log.Archives(dir)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if want[0] != "archive/log_20260222T100000Z.jsonl" ||
		want[9] != "archive/log_20260222T100000Z-10.jsonl" ||
		want[13] != "archive/log_20260222T110000Z.jsonl" {
		t.Errorf("names %v", want)
	}
}

func TestQuarantine(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	seen := map[string]bool{}
	for i := range 3 {
		data := fmt.Appendf(nil, "damaged %d\x00", i)
		name, err := log.Quarantine(dir, `index/a\b.json`, data, now)
		must(t, err)
		if seen[name] || !strings.HasPrefix(name, "quarantine/20260222T100000Z-index_a_b.json") ||
			!bytes.Equal(read(t, dir, name), data) {
			t.Errorf("%s", name)
		}
		seen[name] = true
		if fi, err := os.Stat(dir.Join(name)); err != nil || fi.Mode() != disk.FileMode {
			t.Errorf("%v, %v", fi.Mode(), err)
		}
	}
}
