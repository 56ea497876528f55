package sidecar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
)

const pageSize = 1024

var (
	stateSum = strings.Repeat("ab", 32)
	format   = &Format{
		File: "some", Magic: "memtest\n", PageSize: pageSize, Sections: 3, Numbers: 2,
		Stale: NewStale("test"),
	}
	sections = [...][]byte{bytes.Repeat([]byte("abcdefg"), 1000), nil, []byte("the last one")}
)

func testRoot(t testing.TB) *disk.Dir {
	t.Helper()
	root, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func fill(w *Writer) error {
	w.SetNumbers(7, 1<<40)
	for _, data := range sections {
		w.Section(data)
	}
	return w.Err()
}

// install writes the sidecar of the tests, and returns the path of the file and its bytes.
func install(t testing.TB, root *disk.Dir) (path string, data []byte) {
	t.Helper()
	draft, err := Create(root, format, 1000, stateSum, fill)
	if err == nil {
		err = draft.Install()
	}
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(root.Path(), Dir, format.File)
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return path, data
}

// readAll opens the sidecar and reads every section.
func readAll(root *disk.Dir) error {
	f, err := Open(root, format, 1000, stateSum)
	if err != nil {
		return err
	}
	defer f.Close()
	for i := range format.Sections {
		data, err := f.Part(i, 0, f.Size(i))
		if err != nil {
			return err
		}
		if i < len(sections) && !bytes.Equal(data, sections[i]) {
			return errors.New("other bytes")
		}
	}
	return nil
}

func TestSectionsAreReadAsWritten(t *testing.T) {
	root := testRoot(t)
	install(t, root)
	if err := readAll(root); err != nil {
		t.Error(err)
	}
	f, err := Open(root, format, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Number(0) != 7 || f.Number(1) != 1<<40 {
		t.Errorf("numbers %d, %d", f.Number(0), f.Number(1))
	}
	part, err := f.Part(0, 1020, 1030)
	if err != nil || !bytes.Equal(part, sections[0][1020:1030]) {
		t.Errorf("across two pages: %q, %v", part, err)
	}
	for _, bad := range [][3]int{{0, -1, 3}, {0, 5, 4}, {1, 0, 1}, {2, 0, 13}} {
		if _, err := f.Part(bad[0], bad[1], bad[2]); !errors.Is(err, ErrStale) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestOnlyTheStateItWasWrittenFor(t *testing.T) {
	root := testRoot(t)
	if _, err := Open(root, format, 1000, stateSum); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	install(t, root)
	for _, c := range []struct {
		size int64
		sum  string
	}{
		{999, stateSum}, {1000, strings.Repeat("cd", 32)}, {1000, ""}, {1000, "no hex"},
		{1000, stateSum + "00"},
	} {
		_, err := Open(root, format, c.size, c.sum)
		if !errors.Is(err, ErrStale) || !errors.Is(err, format.Stale) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	other := *format
	other.Magic = "memtest2"
	if _, err := Open(root, &other, 1000, stateSum); !errors.Is(err, ErrStale) {
		t.Errorf("another version: %v", err)
	}
}

// A wrong byte anywhere is refused: at once, or when the page is touched. So is a file of another
// length.
func TestDamageIsRefused(t *testing.T) {
	root := testRoot(t)
	path, good := install(t, root)
	refused := func(what string, at int, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readAll(root); !errors.Is(err, ErrStale) {
			t.Fatalf("%s %d: %v", what, at, err)
		}
	}
	for i := 0; i < len(good); i += 1 + i%61 {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		refused("byte", i, bad)
	}
	for i := len(good) - format.footerSize(); i < len(good); i++ {
		bad := slices.Clone(good)
		bad[i] ^= 0x20
		refused("byte of the footer", i, bad)
	}
	for n := 0; n < len(good); n += 1 + n%41 {
		refused("cut to", n, good[:n])
	}
	refused("a byte more than", len(good), append(slices.Clone(good), 0))
}

// Somebody cuts the file while it is open, in place, as no mem does: that is an error, in every
// goroutine, and not the end of the process.
func TestAFileThatIsCutWhileItIsOpen(t *testing.T) {
	root := testRoot(t)
	path, _ := install(t, root)
	f, err := Open(root, format, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			err := disk.Guard(func() error { _, err := f.Part(0, 0, 10); return err })
			if !errors.Is(err, disk.ErrFault) {
				t.Error(err)
			}
		})
	}
	readers.Wait()
}

// The same between the mapping and the first look.
func TestAFileThatIsCutWhileItIsOpened(t *testing.T) {
	root := testRoot(t)
	path, _ := install(t, root)
	defer disk.SetHook(nil)
	disk.SetHook(func(op disk.Op, name string) error {
		if op == disk.OpRead {
			return os.Truncate(path, 0)
		}
		return nil
	})
	if _, err := Open(root, format, 1000, stateSum); !errors.Is(err, disk.ErrFault) {
		t.Error(err)
	}
}

// Readers at once get what one reader gets, whoever is the first at a page.
func TestReadersAtOnce(t *testing.T) {
	root := testRoot(t)
	install(t, root)
	f, err := Open(root, format, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var readers sync.WaitGroup
	for n := range 8 {
		readers.Go(func() {
			for i := range 900 {
				from := (i*191 + n*577) % (len(sections[0]) - 1100)
				part, err := f.Part(0, from, from+1100)
				if err != nil || !bytes.Equal(part, sections[0][from:from+1100]) {
					t.Errorf("from %d: %v", from, err)
				}
			}
		})
	}
	readers.Wait()
}

// What is not touched is not checked: a reader of one page does not pay for the others.
func TestAPageIsCheckedWhenItIsTouched(t *testing.T) {
	root := testRoot(t)
	path, data := install(t, root)
	data[5*pageSize] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(root, format, 1000, stateSum)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Part(0, 0, 5*pageSize); err != nil {
		t.Error(err)
	}
	if _, err := f.Part(0, 5*pageSize, 5*pageSize+1); !errors.Is(err, ErrStale) {
		t.Error(err)
	}
}

func TestWhatGoesWrongLeavesNothing(t *testing.T) {
	root := testRoot(t)
	failed := errors.New("failed")
	fails := func(*Writer) error { return failed }
	if _, err := Create(root, format, 1, stateSum, fails); err != failed {
		t.Error(err)
	}
	empty := func(*Writer) error { return nil }
	if _, err := Create(root, format, 1, stateSum, empty); err == nil {
		t.Error("no sections, and no error")
	}
	if _, err := Create(root, format, 1, "ab", fill); err == nil {
		t.Error("no SHA-256, and no error")
	}
	draft, err := Create(root, format, 1, stateSum, fill)
	if err != nil {
		t.Fatal(err)
	}
	draft.Discard()
	if names, err := root.Names(Dir); err != nil || len(names) > 0 {
		t.Errorf("%v left, %v", names, err)
	}
}

// Whatever a footer says, under whatever sums, nobody is led out of bounds.
func FuzzOpen(f *testing.F) {
	root := testRoot(f)
	path, good := install(f, root)
	f.Add(good)
	f.Add(good[len(good)-format.footerSize():])
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, sealed(bytes.Clone(data)), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = readAll(root)
	})
}

// sealed makes the sums of a sidecar right again, as somebody would who wants to mislead.
func sealed(data []byte) []byte {
	le := binary.LittleEndian
	if len(data) < format.footerSize() {
		return data
	}
	foot := data[len(data)-format.footerSize():]
	body, end := uint64(len(data)-len(foot)), le.Uint64(foot[format.atStateSize()-8:])
	if end <= body && body-end == 4*((end+pageSize-1)/pageSize) {
		for page := uint64(0); page*pageSize < end; page++ {
			sum := crc32.Checksum(data[page*pageSize:min((page+1)*pageSize, end)], castagnoli())
			le.PutUint32(data[end+4*page:], sum)
		}
		le.PutUint32(foot[format.atPageSum():], crc32.Checksum(data[end:body], castagnoli()))
	}
	le.PutUint32(foot[format.atSum():], crc32.Checksum(foot[:format.atSum()], castagnoli()))
	return data
}
