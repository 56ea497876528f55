package doctor_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/log"
)

// doctors returns the checks of a store by what they are about.
func doctors(t *testing.T, root string) map[string]doctor.Check {
	t.Helper()
	found := map[string]doctor.Check{}
	now := func() time.Time { return storetest.Noon.Add(time.Hour) }
	for _, f := range doctor.Diagnose(root, mem.Options{Now: now}) {
		if _, twice := found[f.What]; twice || f.Message == "" ||
			(f.Level == doctor.OK) != (f.Fix == "") {
			t.Errorf("%+v (twice: %v)", f, twice)
		}
		found[f.What] = f
	}
	return found
}

// fixture is a store that a test may leave damaged.
type fixture struct{ *storetest.Store }

func ailing(t *testing.T) *fixture {
	f := &fixture{storetest.NewStore(t, storetest.Files)}
	f.Dirty = true
	return f
}

// Each damage is named by the check that is about it, with what to do, and by no other.
func TestDoctorNamesWhatIsWrong(t *testing.T) {
	t.Setenv("MEM_BOOT_ID", "boot")
	file := func(f *fixture, name string) string { return f.Root + "/" + name }
	for name, c := range map[string]struct {
		spoil func(f *fixture)
		what  string // "" for: nothing is wrong
		wrong doctor.Level
		do    string
	}{
		"nothing": {func(*fixture) {}, "", doctor.OK, ""},
		"after a reboot": {
			func(*fixture) { os.Setenv("MEM_BOOT_ID", "boot-2") },
			"", doctor.OK, "",
		},
		"no last newline": {
			func(f *fixture) {
				shorten(f, log.File, 1)
				os.Remove(file(f, log.WatermarkFile))
			},
			"index", doctor.Warn, "mem fsck --repair",
		},
		"torn": {
			func(f *fixture) { grow(f, log.File, `{"key":"/x`) },
			"last line", doctor.Warn, "mem fsck --repair",
		},
		"no watermark": {
			func(f *fixture) { os.Remove(file(f, log.WatermarkFile)) },
			"index", doctor.Warn, "mem fsck --repair",
		},
		"watermark damaged": {
			func(f *fixture) { grow(f, log.WatermarkFile, "x") },
			"index", doctor.Warn, "mem fsck --repair",
		},
		"a purge that was killed": {
			func(f *fixture) { os.WriteFile(file(f, "purge.json"), []byte("{}"), 0o600) },
			"index", doctor.Warn, "mem fsck --repair",
		},
		"behind": {
			func(f *fixture) { f.behind() },
			"index", doctor.Warn, "mem fsck --repair",
		},
		"log copied": {
			func(f *fixture) { copied(f, log.File) },
			"", doctor.OK, "",
		},
		"log gone": {
			func(f *fixture) { os.Remove(file(f, log.File)) },
			"log", doctor.Bad, "fsck --repair creates",
		},
		"log and watermark gone": {
			func(f *fixture) {
				os.Remove(file(f, log.File))
				os.Remove(file(f, log.WatermarkFile))
			},
			"log", doctor.Bad, "fsck --repair creates",
		},
		"log is a link": {
			func(f *fixture) {
				os.Remove(file(f, log.File))
				os.Symlink("elsewhere", file(f, log.File))
			},
			"log", doctor.Bad, "no links",
		},
		"config": {
			func(f *fixture) { grow(f, mem.ConfigFile, `{"rotat`) },
			"config", doctor.Bad, "mend ",
		},
		"lock is a directory": {
			func(f *fixture) {
				os.Remove(file(f, log.LockFile))
				os.Mkdir(file(f, log.LockFile), 0o700)
			},
			"lock", doctor.Bad, "mem fsck --repair",
		},
		"open to others": {
			func(f *fixture) { os.Chmod(f.Root, 0o755) },
			"root", doctor.Warn, "chmod 700 ",
		},
		"long log": {
			func(f *fixture) { f.fill(5 << 20) },
			"log", doctor.Warn, "mem compact",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := ailing(t)
			f.Put("/a", `{"text":"x"}`)
			f.Put("/b", "2")
			c.spoil(f)
			found := doctors(t, f.Root)
			for what, got := range found {
				if what == "disk" {
					continue // may be in memory here
				}
				if (got.Level != doctor.OK) != (what == c.what) {
					t.Errorf("%+v", got)
				}
			}
			if got := found[c.what]; c.what != "" &&
				(got.Level != c.wrong || !strings.Contains(got.Fix, c.do)) {
				t.Errorf("%+v, want %s: %s", got, c.wrong, c.do)
			}
		})
	}
}

func grow(f *fixture, name, text string) {
	f.T.Helper()
	file, err := os.OpenFile(f.Root+"/"+name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		f.T.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		f.T.Fatal(err)
	}
}

func shorten(f *fixture, name string, by int64) {
	f.T.Helper()
	fi, err := os.Stat(f.Root + "/" + name)
	if err == nil {
		err = os.Truncate(f.Root+"/"+name, fi.Size()-by)
	}
	if err != nil {
		f.T.Fatal(err)
	}
}

func copied(f *fixture, name string) {
	f.T.Helper()
	text, err := os.ReadFile(f.Root + "/" + name)
	if err == nil {
		err = os.WriteFile(f.Root+"/copy", text, 0o600)
	}
	if err == nil {
		err = os.Rename(f.Root+"/copy", f.Root+"/"+name)
	}
	if err != nil {
		f.T.Fatal(err)
	}
}

// behind leaves what a writer leaves that is killed between the log and the index.
func (f *fixture) behind() {
	f.T.Helper()
	mark, err := os.ReadFile(f.Root + "/" + log.WatermarkFile)
	if err != nil {
		f.T.Fatal(err)
	}
	f.Put("/c", "3")
	if err := os.WriteFile(f.Root+"/"+log.WatermarkFile, mark, 0o600); err != nil {
		f.T.Fatal(err)
	}
}

func (f *fixture) fill(bytes int) {
	f.T.Helper()
	long := `"` + strings.Repeat("x ", 250_000) + `"`
	for n := 0; n < bytes; n += len(long) {
		f.Put("/long", long)
	}
}

func TestDoctorOfNoStore(t *testing.T) {
	dir := t.TempDir()
	if got := doctors(t, dir+"/none"); len(got) != 1 || got["root"].Level != doctor.OK {
		t.Errorf("%v", got)
	}
	if err := os.WriteFile(dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := doctors(t, dir+"/file"); len(got) != 1 || got["root"].Level != doctor.Bad {
		t.Errorf("%v", got)
	}
	if err := os.Mkdir(dir+"/empty", 0o700); err != nil {
		t.Fatal(err)
	}
	if got := doctors(t, dir+"/empty"); got["index"].Level != doctor.OK ||
		got["last write"].Message != "never" {
		t.Errorf("%v", got)
	}
}

// While somebody writes nothing is amiss that is only on its way; one who has held the lock for
// long is named.
func TestDoctorOfALockedStore(t *testing.T) {
	t.Setenv("MEM_BOOT_ID", "boot")
	f := ailing(t)
	f.Put("/a", "1")
	grow(f, log.File, `{"key":"/x`)
	for since, want := range map[time.Time]doctor.Level{
		storetest.Noon.Add(time.Hour): doctor.OK, storetest.Noon: doctor.Warn,
	} {
		dir, err := disk.Open(f.Root)
		if err != nil {
			t.Fatal(err)
		}
		l, err := log.Acquire(dir, "set", since, 0)
		if err != nil {
			t.Fatal(err)
		}
		found := doctors(t, f.Root)
		if got := found["lock"]; got.Level != want ||
			!strings.Contains(got.Message, "set, since 2026-") {
			t.Errorf("%+v", got)
		}
		if found["last line"].Level != doctor.OK || found["index"].Level != doctor.OK {
			t.Errorf("%+v", found)
		}
		if err := l.Unlock(); err != nil {
			t.Fatal(err)
		}
		dir.Close()
	}
	if got := doctors(t, f.Root)["lock"]; got.Message != "free" {
		t.Errorf("%+v", got)
	}
}

// Whatever call fails, the doctor says so and goes on; and it changes nothing.
func TestDoctorOfABrokenDisk(t *testing.T) {
	t.Setenv("MEM_BOOT_ID", "boot")
	f := ailing(t)
	f.Put("/a", "1")
	defer disk.SetHook(nil)
	for n := 0; ; n++ {
		calls := 0
		disk.SetHook(func(op disk.Op, path string) error {
			if op.Mutates() {
				t.Errorf("%s of %s", op, path)
			}
			if calls++; calls == n+1 {
				return &os.PathError{Op: string(op), Path: path, Err: syscall.EIO}
			}
			return nil
		})
		bad := 0
		for _, got := range doctors(t, f.Root) {
			if got.Level == doctor.Bad && strings.Contains(got.Message, syscall.EIO.Error()) {
				bad++
			}
		}
		if calls <= n {
			if n < 8 {
				t.Errorf("only %d calls", n)
			}
			return
		}
		if bad > 1 {
			t.Errorf("call %d: %d checks for one fault", n, bad)
		}
	}
}
