package seal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/testkit"
)

func TestCreateWritesWhatAgeKeygenWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "keys.txt")
	must(t, Create(path, now))
	lines := strings.Split(textOf(t, path), "\n")
	if len(lines) != 4 || lines[0] != "# created: 2026-11-22T09:00:00Z" || lines[3] != "" {
		t.Fatalf("%q", lines)
	}
	id, err := age.ParseX25519Identity(lines[2])
	must(t, err)
	if lines[1] != "# public key: "+id.Recipient().String() {
		t.Errorf("%q, want that of %v", lines[1], id.Recipient())
	}
	if fi, err := os.Stat(path); err != nil || disk.HasModes && fi.Mode() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if err := Create(path, now); !errors.Is(err, fs.ErrExist) || !errors.Is(err, ErrKeyFile) {
		t.Errorf("made once more: %v", err)
	}
	load(t, path)
}

func TestLoadTakesWhatIsFound(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	id := identities(textOf(t, path))[0]
	hybrid, err := age.GenerateHybridIdentity()
	must(t, err)
	for _, text := range []string{id, "\r\n# x\r\n\r\n  " + id + "\r\n", id + "\n" + id + "\n",
		hybrid.String() + "\n" + id, id + "\n" + hybrid.String() + "\n"} {
		must(t, os.WriteFile(path, []byte(text), 0o600))
		keys := load(t, path)
		if got, err := keys.Open(sealed(t, keys, "x")); err != nil || string(got) != "x" {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// Each fault of a key file is one clear error, with what to do, and quotes nothing of the file.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	id := identities(textOf(t, newFile(t)))[0]
	dir := t.TempDir()
	path := filepath.Join(dir, "key file")
	quoted := "'" + path + "'"
	for _, c := range []struct {
		text  string
		mode  fs.FileMode
		fault string
		do    string
	}{
		{id, 0o644, "mode 0644 lets others read it", "chmod 600 " + quoted},
		{id, 0o640, "mode 0640 lets others read it", "chmod 600 " + quoted},
		{id, 0o606, "mode 0606 lets others read and write it", "chmod 600 " + quoted},
		{id, 0o620, "mode 0620 lets others write it", "chmod 600 " + quoted},
		{id, 0o611, "mode 0611 lets others run it", "chmod 600 " + quoted},
		{"", 0o600, "no identity is in it", "mem key new"},
		{"# only a comment\n", 0o600, "no identity is in it", "mem key new"},
		{"#\n" + id[:len(id)-1], 0o600, "line 2 is no identity", "AGE-SECRET-KEY-1..."},
		{id + "\nhunter2\n", 0o600, "line 2 is no identity", "AGE-SECRET-KEY-1..."},
		{"ssh-ed25519 AAAA", 0o600, "line 1 is no identity", "AGE-SECRET-KEY-1..."},
		{strings.Repeat("#\n", maxFile/2) + id, 0o600, "too long for a key file", ""},
	} {
		if c.mode != 0o600 && !disk.HasModes {
			continue
		}
		must(t, os.WriteFile(path, []byte(c.text), 0o600))
		must(t, os.Chmod(path, c.mode))
		_, err := Load(path)
		checkRefusal(t, err, "key file "+path+": "+c.fault, c.do)
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), id[16:]) {
			t.Errorf("%v quotes the file", err)
		}
	}
}

// checkRefusal checks an error of a key file, and that its hint has a part.
func checkRefusal(t *testing.T, err error, text, do string) {
	t.Helper()
	var e *FileError
	if !errors.As(err, &e) || !errors.Is(err, ErrKeyFile) || e.Kind() != "input" {
		t.Fatalf("%v, want %s", err, text)
	}
	if e.Error() != text || !strings.Contains(e.Do.String(), do) || do == "" && e.Do != nil {
		t.Errorf("%s; %s, want %s; %s", e, e.Do, text, do)
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	if _, err := Load(""); !errors.Is(err, ErrNoKey) {
		t.Errorf("no path: %v", err)
	}
	if err := errors.Join(Create("", now), Rotate("", now)); !errors.Is(err, ErrNoKey) {
		t.Errorf("no path: %v", err)
	}
	dir := t.TempDir()
	_, err := Load(filepath.Join(dir, "missing"))
	checkRefusal(t, err, "key file "+dir+"/missing: no such file or directory", "mem key new ")
	_, err = Load(dir)
	if !errors.Is(err, ErrKeyFile) || !errors.Is(err, disk.ErrIrregular) {
		t.Errorf("a directory: %v", err)
	}
	must(t, os.Symlink("nowhere", dir+"/dangling"))
	if _, err = Load(dir + "/dangling"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to nothing: %v", err)
	}
}

// A key file in a memory would go wherever a copy of the memory goes. What counts is where it
// really is.
func TestKeysInTheMemoryAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, other, out := dir+"/root", dir+"/other", dir+"/out"
	for _, name := range []string{root + "/sub", other, out} {
		must(t, os.MkdirAll(name, 0o700))
	}
	must(t, Create(root+"/sub/keys", now))
	must(t, Create(out+"/keys", now))
	must(t, os.Symlink(root+"/sub/keys", out+"/file"))
	must(t, os.Symlink(root+"/sub", out+"/dir"))
	must(t, os.Symlink(root, dir+"/rootlink"))
	must(t, os.Symlink(out+"/keys", root+"/link"))
	for path, refused := range map[string]bool{
		root + "/sub/keys": true, root + "/../root/sub/keys": true, out + "/file": true,
		out + "/dir/keys": true, dir + "/rootlink/sub/keys": true,
		out + "/keys": false, root + "/link": false, root + "/sub/../link": false,
	} {
		for _, roots := range [][]string{{other, root}, {dir + "/rootlink"}, {root + "/sub/.."}} {
			_, err := Load(path, roots...)
			if refused {
				checkRefusal(t, err, "key file "+path+": it lies in the memory at "+
					roots[len(roots)-1], "move it")
			} else if err != nil {
				t.Errorf("%s, roots %v: %v", path, roots, err)
			}
			if err := Rotate(path, now, roots...); refused == (err == nil) {
				t.Errorf("rotated %s, roots %v: %v", path, roots, err)
			}
		}
	}
	for _, path := range []string{root + "/new", out + "/dir/new", root + "/new/deep/keys"} {
		if err := Create(path, now, root); !errors.Is(err, ErrKeyFile) {
			t.Errorf("made %s: %v", path, err)
		}
	}
	if names, err := os.ReadDir(root); err != nil || len(names) != 2 {
		t.Errorf("the memory has %v, %v", names, err)
	}
}

func TestLoadDoesNotWaitForAFifo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fifo")
	testkit.Need(t, disk.HasModes, "fifos")
	must(t, mkfifo(path))
	if _, err := Load(path); !errors.Is(err, disk.ErrIrregular) {
		t.Errorf("%v", err)
	}
}
