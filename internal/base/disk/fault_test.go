package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
)

func opsOf(passed []pass) (ops []disk.Op) {
	for _, p := range passed {
		ops = append(ops, p.op)
	}
	return ops
}

// Every call of the disk fails once, and once more with half a write: the old content stays or the
// new one is there, whole.
func TestReplacingSurvivesEveryFault(t *testing.T) {
	oldText, newText := "the old content", "something new and longer"
	putOps := []disk.Op{disk.OpCreate, disk.OpWrite, disk.OpRename}
	if runtime.GOOS == "linux" {
		// the old file, which has changed places with the new one
		putOps = append(putOps, disk.OpRemove)
	}
	for name, c := range map[string]struct {
		do  func(*disk.Dir) error
		ops []disk.Op
	}{
		"WriteFile": {func(d *disk.Dir) error { return d.WriteFile("x", []byte(newText)) }, putOps},
		"WriteFileSync": {func(d *disk.Dir) error { return d.WriteFileSync("x", text(newText)) },
			[]disk.Op{disk.OpCreate, disk.OpWrite, disk.OpWrite, disk.OpSync, disk.OpRename,
				disk.OpSync}},
	} {
		for _, fault := range []error{errDisk, &disk.Short{Err: errDisk}} {
			for nth := 1; nth <= len(c.ops)+1; nth++ {
				d := openDir(t)
				put(t, d, "x", oldText)
				var err error
				passed := record(func() { err = c.do(d) }, nth, fault)
				want := newText
				if nth <= slices.Index(c.ops, disk.OpRename)+1 {
					want = oldText
				}
				expect(t, d, "x", want)
				if failed := nth <= len(c.ops); failed != errors.Is(err, errDisk) ||
					!failed && err != nil {
					t.Errorf("%s, call %d: %v", name, nth, err)
				}
				if ops := opsOf(passed); !slices.Equal(ops, c.ops[:min(nth, len(c.ops))]) {
					t.Errorf("%s, call %d: calls %v", name, nth, ops)
				}
				for _, left := range names(t, d.Path()) {
					if left != "x" && !disk.IsTemp(left) {
						t.Errorf("%s, call %d: left %s", name, nth, left)
					}
				}
				must(t, c.do(d))
				expect(t, d, "x", newText)
			}
		}
	}
}

func TestPromoteFault(t *testing.T) {
	d := openDir(t)
	temp, err := d.TempFileSync(text("new"))
	must(t, err)
	record(func() { err = d.CommitSync(temp, "x") }, 1, errDisk)
	if !errors.Is(err, errDisk) {
		t.Error(err)
	}
	expectNames(t, d)
}

func TestShortWrite(t *testing.T) {
	d := openDir(t)
	f, err := d.Append("x")
	must(t, err)
	defer f.Close()
	var n int
	record(func() { n, err = f.Write([]byte("abcdef")) }, 1, &disk.Short{Err: errDisk})
	if n != 3 || !errors.Is(err, errDisk) {
		t.Errorf("%d, %v", n, err)
	}
	expect(t, d, "x", "abc")
	if err := error(&disk.Short{Err: errDisk}); !errors.Is(err, errDisk) ||
		!strings.Contains(err.Error(), "injected") {
		t.Error(err)
	}
}

// Every call passes the hook once, with its kind and its full path, and does nothing if the hook
// returns an error.
func TestEveryCallPassesTheHook(t *testing.T) {
	d := openDir(t)
	put(t, d, "x", "content")
	f, err := d.Edit("x")
	must(t, err)
	defer f.Close()
	buf := make([]byte, 1)
	for _, c := range []struct {
		name string
		op   disk.Op
		path string
		do   func() error
	}{
		{"Create", disk.OpSync, "..",
			func() error { _, err := disk.Create(d.Join("made/deep")); return err }},
		{"Open", disk.OpOpen, "x", func() error { _, err := d.Open("x"); return err }},
		{"Edit", disk.OpCreate, "new", func() error { _, err := d.Edit("new"); return err }},
		{"New", disk.OpCreate, "new", func() error { _, err := disk.New(d, "new"); return err }},
		{"Append", disk.OpCreate, "new", func() error { _, err := d.Append("new"); return err }},
		{"ReadFile", disk.OpOpen, "x", func() error { _, err := d.ReadFile("x", 10); return err }},
		{"Map", disk.OpOpen, "x", func() error { _, _, err := d.Map("x"); return err }},
		{"Lstat", disk.OpStat, "x", func() error { _, err := d.Lstat("x"); return err }},
		{"ReadDir", disk.OpRead, ".", func() error { _, err := d.ReadDir("."); return err }},
		{"Sub", disk.OpMkdir, "sub", func() error { _, err := d.Sub("sub", true); return err }},
		{"Mkdir", disk.OpMkdir, "sub", func() error { return d.Mkdir("sub") }},
		{"Remove", disk.OpRemove, "x", func() error { return d.Remove("x") }},
		{"Rename", disk.OpRename, "y", func() error { return d.Rename("x", "y") }},
		{"Chmod", disk.OpChmod, "x", func() error { return d.Chmod("x", 0o640) }},
		{"Sync", disk.OpSync, ".", d.Sync},
		{"SyncName", disk.OpSync, ".", d.SyncName},
		{"File.Read", disk.OpRead, "x", func() error { _, err := f.Read(buf); return err }},
		{"File.ReadAt", disk.OpRead, "x", func() error { _, err := f.ReadAt(buf, 0); return err }},
		{"File.Write", disk.OpWrite, "x", func() error { _, err := f.Write(buf); return err }},
		{"File.WriteAt", disk.OpWrite, "x",
			func() error { _, err := f.WriteAt(buf, 0); return err }},
		{"File.Sync", disk.OpSync, "x", f.Sync},
		{"File.Truncate", disk.OpTruncate, "x", func() error { return f.Truncate(0) }},
		{"File.Stat", disk.OpStat, "x", func() error { _, err := f.Stat(); return err }},
		{"copying in", disk.OpWrite, "x",
			func() error { _, err := io.Copy(f, strings.NewReader("abc")); return err }},
		{"copying out", disk.OpRead, "x",
			func() error { _, err := io.Copy(io.Discard, f); return err }},
		{"writing a string", disk.OpWrite, "x",
			func() error { _, err := io.WriteString(f, "abc"); return err }},
	} {
		var err error
		passed := record(func() { err = c.do() }, 1, errDisk)
		if len(passed) != 1 || passed[0].op != c.op || passed[0].path != d.Join(c.path) ||
			!errors.Is(err, errDisk) {
			t.Errorf("%s: %v, %v; want %s of %s", c.name, passed, err, c.op, d.Join(c.path))
		}
		expectNames(t, d, "x")
		expect(t, d, "x", "content")
	}
	if fi, err := os.Stat(d.Join("x")); err != nil || fi.Mode() != fs.FileMode(0o600) {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
}

// A directory's name is durable before the next one is made in it, and a call that finds it there
// syncs it again.
func TestCreateSyncsWhatItMakes(t *testing.T) {
	d := openDir(t)
	for _, c := range []struct {
		dir  string
		want []pass
	}{
		{"a/b", []pass{{disk.OpSync, ".."}, {disk.OpMkdir, "a"}, {disk.OpSync, "."},
			{disk.OpMkdir, "a/b"}, {disk.OpSync, "a"}}},
		{"a/b", []pass{{disk.OpSync, "a"}}},
		{"a/c", []pass{{disk.OpSync, "."}, {disk.OpMkdir, "a/c"}, {disk.OpSync, "a"}}},
	} {
		for i := range c.want {
			c.want[i].path = d.Join(c.want[i].path)
		}
		got := record(func() {
			made, err := disk.Create(d.Join(c.dir))
			must(t, err)
			made.Close()
		}, 0, nil)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.dir, got, c.want)
		}
	}
	put(t, d, "file", "")
	if _, err := disk.Create(d.Join("file")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file in place of the directory: %v", err)
	}
}

func TestMutates(t *testing.T) {
	t.Parallel()
	for op, want := range map[disk.Op]bool{
		disk.OpCreate: true, disk.OpWrite: true, disk.OpSync: true, disk.OpSyncTree: true,
		disk.OpTruncate: true, disk.OpRename: true, disk.OpRemove: true, disk.OpMkdir: true,
		disk.OpChmod: true,
		disk.OpOpen:  false, disk.OpRead: false, disk.OpStat: false,
	} {
		if got := op.Mutates(); got != want {
			t.Errorf("%s: %v", op, got)
		}
	}
}

func TestBootID(t *testing.T) {
	for given, want := range map[string]string{
		"boot-2":                 "boot-2",
		strings.Repeat("x", 100): strings.Repeat("x", disk.MaxBootID),
		"a b\"c\\d\ne\x7f":       "a?b?c?d?e?",
		"牙\xff!":                 "??!",
	} {
		t.Setenv("MEM_BOOT_ID", given)
		if got := disk.BootID(); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	t.Setenv("MEM_BOOT_ID", "")
	a, b := disk.BootID(), disk.BootID()
	if a != b || len(a) > disk.MaxBootID || strings.ContainsAny(a, "\n \"?") {
		t.Errorf("%q, %q", a, b)
	}
}
