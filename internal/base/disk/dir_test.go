package disk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/testkit"
)

func TestOpenMissing(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "a", "b")
	if _, err := disk.Open(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	d, err := disk.Create(missing)
	must(t, err)
	defer d.Close()
	if d.Path() != missing || d.Join("x/y") != filepath.Join(missing, "x", "y") {
		t.Errorf("%s, %s", d.Path(), d.Join("x/y"))
	}
	again, err := disk.Create(missing)
	must(t, err)
	must(t, again.Close())
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	_, openErr := d.Open("x")
	_, readErr := d.ReadFile("x", 10)
	_, statErr := d.Lstat("x")
	_, listErr := d.ReadDir("x")
	_, subErr := d.Sub("x", false)
	for name, err := range map[string]error{
		"Open": openErr, "ReadFile": readErr, "Lstat": statErr, "ReadDir": listErr, "Sub": subErr,
		"Remove": d.Remove("x"), "Rename": d.Rename("x", "y"), "Chmod": d.Chmod("x", 0o600),
		"WriteFile": d.WriteFile("x/y", nil),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	expectNames(t, d)
}

func TestEditKeepsContent(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	for _, want := range []string{"ab", "aBcd"} {
		f, err := d.Edit("x")
		must(t, err)
		if _, err := f.WriteAt([]byte(want), 0); err != nil {
			t.Fatal(err)
		}
		must(t, f.Sync())
		must(t, f.Close())
		expect(t, d, "x", want)
	}
	f, err := d.Edit("x")
	must(t, err)
	defer f.Close()
	must(t, f.Truncate(3))
	expect(t, d, "x", "aBc")
	if fi, err := f.Stat(); err != nil || fi.Size() != 3 || f.Path() != d.Join("x") ||
		disk.Ino(fi) == 0 {
		t.Errorf("%v, %v, %s", fi, err, f.Path())
	}
	buf := make([]byte, 2)
	if n, err := f.ReadAt(buf, 1); n != 2 || err != nil || string(buf) != "Bc" {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if all, err := io.ReadAll(f); err != nil || string(all) != "aBc" {
		t.Errorf("%q, %v", all, err)
	}
}

func TestNewReplacesNothing(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	f, err := disk.New(d, "x")
	must(t, err)
	if _, err := f.Write([]byte("content")); err != nil {
		t.Fatal(err)
	}
	must(t, f.Close())
	if _, err := disk.New(d, "x"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made once more: %v", err)
	}
	expect(t, d, "x", "content")
}

func TestAppendGoesToTheEnd(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	a, err := d.Append("x")
	must(t, err)
	defer a.Close()
	b, err := d.Append("x")
	must(t, err)
	defer b.Close()
	for i, f := range []io.Writer{a, b, a} {
		if _, err := f.Write([]byte{"123"[i]}); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, d, "x", "123")
}

func TestReadFileLimit(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	put(t, d, "x", "12345")
	for limit, ok := range map[int64]bool{0: false, 4: false, 5: true, 6: true, 1 << 40: true} {
		got, err := d.ReadFile("x", limit)
		if ok && (err != nil || string(got) != "12345") ||
			!ok && (err == nil || got != nil || !strings.Contains(err.Error(), d.Join("x"))) {
			t.Errorf("limit %d: %q, %v", limit, got, err)
		}
	}
	put(t, d, "empty", "")
	if got, err := d.ReadFile("empty", 0); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMapKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	want := strings.Repeat("mapped", 10_000)
	put(t, d, "x", want)
	data, unmap, err := d.Map("x")
	must(t, err)
	must(t, d.WriteFile("x", []byte("new")))
	must(t, d.Remove("x"))
	if string(data) != want {
		t.Errorf("%d bytes, want %d", len(data), len(want))
	}
	must(t, unmap())
	put(t, d, "empty", "")
	data, unmap, err = d.Map("empty")
	if err != nil || len(data) > 0 || unmap() != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, _, err := d.Map("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Somebody cuts a mapped file in place, as no mem does: the page that is gone is an error, in every
// goroutine, and not the end of the process.
func TestGuardReturnsAFault(t *testing.T) {
	t.Parallel()
	testkit.Need(t, runtime.GOOS != "windows", "a system on which files are mapped")
	d := openDir(t)
	put(t, d, "x", strings.Repeat("x", 100_000))
	data, unmap, err := d.Map("x")
	must(t, err)
	defer unmap()
	must(t, os.Truncate(d.Join("x"), 10))
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			sum, more := 0, false
			err := disk.Guard(func() error {
				for _, b := range data {
					sum += int(b)
				}
				more = true
				return nil
			})
			if !errors.Is(err, disk.ErrFault) || more || sum < 10*'x' {
				t.Errorf("%v; %d read, the rest too: %v", err, sum, more)
			}
		})
	}
	readers.Wait()
}

// Nothing but a fault is made an error: a mistake of the program stays what it is.
func TestGuardLetsOtherPanicsThrough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		want string
		fn   func() error
	}{
		{"a value", "mine", func() error { panic("mine") }},
		{"an index", "index out of range", func() error { _ = []int{}[len(os.Args)]; return nil }},
		{"a nil pointer", "nil pointer", func() error { var p *int; *p++; return nil }},
	} {
		got := func() (cause any) {
			defer func() { cause = recover() }()
			return disk.Guard(c.fn)
		}()
		if !strings.Contains(fmt.Sprint(got), c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if err := disk.Guard(func() error { return io.EOF }); err != io.EOF {
		t.Error(err)
	}
}

func TestReadDir(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	must(t, d.Mkdir("sub"))
	for _, name := range []string{"sub/b", "sub/牙", "sub/a", "sub/.hidden"} {
		put(t, d, name, "")
	}
	entries, err := d.ReadDir("sub")
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != ".hidden a b 牙" {
		t.Error(got)
	}
	if top, err := d.ReadDir("."); err != nil || len(top) != 1 || top[0].Name() != "sub" ||
		!top[0].IsDir() {
		t.Errorf("%v, %v", top, err)
	}
}

func TestSub(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	for range 2 {
		sub, err := d.Sub("a/牙/c", true)
		must(t, err)
		if sub.Path() != d.Join("a/牙/c") {
			t.Error(sub.Path())
		}
		must(t, sub.WriteFile("x", []byte("1")))
		must(t, sub.Close())
	}
	expect(t, d, "a/牙/c/x", "1")
	sub, err := d.Sub("a/牙", false)
	must(t, err)
	defer sub.Close()
	expectNames(t, sub, "c")
}

func TestMkdirTwice(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	must(t, d.Mkdir("a"))
	must(t, d.Mkdir("a"))
	put(t, d, "file", "")
	if err := d.Mkdir("file"); !errors.Is(err, disk.ErrIrregular) {
		t.Error(err)
	}
}

func TestRenameAndRemove(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	put(t, d, "a", "new")
	put(t, d, "b", "old")
	must(t, d.Rename("a", "b"))
	expectNames(t, d, "b")
	expect(t, d, "b", "new")
	must(t, d.Mkdir("sub"))
	put(t, d, "sub/x", "")
	if err := d.Remove("sub"); err == nil {
		t.Error("a directory that is not empty is gone")
	}
	must(t, d.Remove("sub/x"))
	must(t, d.Remove("sub"))
	must(t, d.Remove("b"))
	expectNames(t, d)
}

func TestPutAndReplace(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	must(t, d.Mkdir("sub"))
	for _, content := range []string{"first", "", strings.Repeat("x", 1<<20)} {
		must(t, d.WriteFile("sub/x", []byte(content)))
		must(t, d.WriteFileSync("y", text(content)))
		expect(t, d, "sub/x", content)
		expect(t, d, "y", content)
	}
	must(t, d.Sync())
	must(t, d.SyncTree())
	expectNames(t, d, "sub", "y")
	if got := names(t, d.Join("sub")); len(got) != 1 {
		t.Error(got)
	}
}

func TestReplaceWithNothingToSay(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	put(t, d, "x", "old")
	err := d.WriteFileSync("x", func(w io.Writer) error {
		io.WriteString(w, "half")
		return errDisk
	})
	if !errors.Is(err, errDisk) {
		t.Error(err)
	}
	expect(t, d, "x", "old")
	expectNames(t, d, "x")
}

func TestTempAndPromote(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	put(t, d, "x", "old")
	temp, err := d.TempFileSync(text("new"))
	must(t, err)
	if !disk.IsTemp(temp) {
		t.Error(temp)
	}
	expect(t, d, "x", "old")
	expect(t, d, temp, "new")
	must(t, d.CommitSync(temp, "x"))
	expect(t, d, "x", "new")
	expectNames(t, d, "x")
	if err := d.CommitSync(temp, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("promoted twice: %v", err)
	}
	expect(t, d, "x", "new")
}

func TestPromoteOverADirectory(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	must(t, d.Mkdir("x"))
	put(t, d, "x/kept", "")
	if err := d.WriteFileSync("x", text("new")); err == nil {
		t.Error("a file in place of a directory")
	}
	if err := d.WriteFile("x", []byte("new")); err == nil {
		t.Error("a file in place of a directory")
	}
	expect(t, d, "x/kept", "")
	expectNames(t, d, "x")
}

func TestIsTemp(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		".tmp-0123456789abcdef": true, ".tmp-ffffffffffffffff": true,
		".tmp-0123456789ABCDEF": false, ".tmp-0123456789abcde": false,
		".tmp-0123456789abcdef0": false, ".tmp-0123456789abcdeg": false,
		".tmp-": false, "": false, "tmp-0123456789abcdef": false, "x.tmp-0123456789abcdef": false,
		".tmp-0123456789abcdef.json": false,
	} {
		if got := disk.IsTemp(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// A file is replaced in the directory that was opened, or nowhere: not in a copy of it that stands
// at its path meanwhile, draft and all.
func TestNothingIsReplacedInTheOneAtThePath(t *testing.T) {
	t.Parallel()
	d, err := disk.Create(openDir(t).Join("root"))
	must(t, err)
	defer d.Close()
	moved := d.Path() + "-moved"
	put(t, d, "x", "old")
	temp, err := d.TempFileSync(text("new"))
	must(t, err)
	must(t, os.Rename(d.Path(), moved))
	must(t, os.CopyFS(d.Path(), os.DirFS(moved)))
	if err := d.CommitSync(temp, "x"); !errors.Is(err, disk.ErrMoved) {
		t.Error(err)
	}
	expect(t, d, "x", "old") // by its path: in the copy
	must(t, os.RemoveAll(d.Path()))
	if err := d.WriteFileSync("x", text("new")); !errors.Is(err, disk.ErrMoved) {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(moved, "x")); string(got) != "old" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if left := names(t, moved); !slices.Equal(left, []string{"x"}) {
		t.Errorf("left %q", left)
	}
}

// Whoever reads while a file is replaced sees one content or the other, never a mixture and never
// none.
func TestReadersSeeWholeFiles(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	content := [2][]byte{bytes.Repeat([]byte("a"), 100_000), bytes.Repeat([]byte("b"), 50_000)}
	must(t, d.WriteFile("x", content[0]))
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				got, err := d.ReadFile("x", 1<<20)
				if err != nil || !bytes.Equal(got, content[0]) && !bytes.Equal(got, content[1]) {
					t.Errorf("%d bytes, %.5q, %v", len(got), got, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 100 {
		must(t, d.WriteFile("x", content[i%2]))
		must(t, d.WriteFileSync("x", func(w io.Writer) error {
			_, err := w.Write(content[(i+1)%2])
			return err
		}))
	}
	close(done)
	wg.Wait()
}

func TestNamesDoNotLeaveTheDirectory(t *testing.T) {
	t.Parallel()
	d := openDir(t)
	must(t, d.Mkdir("root"))
	put(t, d, "outside", "kept")
	root, err := disk.Open(d.Join("root"))
	must(t, err)
	defer root.Close()
	for _, name := range []string{"../outside", "/etc/hostname", "a/../../outside",
		d.Join("outside")} {
		if _, err := root.Open(name); err == nil {
			t.Errorf("opened %s", name)
		}
		if _, err := root.Edit(name); err == nil {
			t.Errorf("edited %s", name)
		}
		if root.WriteFile(name, []byte("new")) == nil || root.Remove(name) == nil ||
			root.Chmod(name, 0) == nil || root.Mkdir(name+"2") == nil {
			t.Errorf("changed %s", name)
		}
		if sub, err := root.Sub(name, true); err == nil {
			t.Errorf("went to %s", sub.Path())
		}
	}
	expect(t, d, "outside", "kept")
	expectNames(t, d, "outside", "root")
}
