//go:build linux

package e2e

import (
	"maps"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// restores are the ways in which people copy a backup over a store that is there.
var restores = []struct {
	tool string
	args []string // before the two directories
}{
	{"cp", []string{"-a"}}, // files keep their inodes,
	{"rsync", []string{"-a"}},
	{"rsync", []string{"-a", "--inplace", "--ignore-times"}},
	{"rsync", []string{"-a", "--delete"}},
}

// A backup is copied over the store that it is of: every answer is that of the restored log, before
// the next write and after it, and then fsck finds nothing.
func TestABackupIsRestoredOverTheStore(t *testing.T) {
	t.Setenv("MEM_BOOT_ID", "boot")
	for _, r := range restores {
		for _, compacted := range []bool{false, true} {
			name := r.tool
			for _, arg := range r.args {
				name += " " + arg
			}
			if compacted {
				name += ", with a state"
			}
			t.Run(name, func(t *testing.T) {
				_, err := exec.LookPath(r.tool)
				testkit.Need(t, err == nil, r.tool+" is not installed")
				restored(t, append([]string{r.tool}, r.args...), compacted)
			})
		}
	}
}

func restored(t *testing.T, copier []string, compacted bool) {
	f := &fixture{&storetest.Store{T: t, Root: filepath.Join(storetest.Dir(t), "memory"), Clock: noon}}
	f.Open()
	defer func() { f.Close() }()
	compact := func() {
		if compacted {
			_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
			f.Must(err)
		}
	}
	f.Put("/kept", `"kept"`)
	f.Put("/changed", `"before"`)
	f.Put("/voided", `"before"`)
	f.Put("/risen", `"before"`)
	f.Put("/risen", "null")
	compact()
	f.Put("/tail", `"before"`)
	want, err := contents(f.Store)
	f.Must(err)
	backup := f.Root + ".backup"
	f.run("cp", "-a", f.Root, backup)
	f.Clock = noon.Add(time.Hour)
	for key, content := range map[string]string{"/changed": `"after"`, "/voided": "null",
		"/risen": `"after"`, "/new": `"after"`, "/tail": "null"} {
		f.Put(key, content)
	}
	compact()
	f.Put("/newer", `"after"`)
	f.run(append(copier, backup+"/.", f.Root+"/")...)
	f.answers("the same process", want)
	f.Close()
	f.Clock = noon.Add(2 * time.Hour)
	f.Open()
	f.answers("a reader", want)
	f.Put("/next", "1")
	want["/next"] = "1"
	f.answers("after the next set", want)
	f.onlyTheViewIsLate()
	f.answers("after a repair", want)
}

// onlyTheViewIsLate checks that a restore which keeps the log's inode leaves nothing but files of
// what was written after the backup, in index/, which no answer comes from; that fsck names each of
// them; and that a repair sets them aside.
func (f *fixture) onlyTheViewIsLate() {
	f.T.Helper()
	for _, repair := range []bool{false, true} {
		rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: repair})
		f.Must(err)
		for _, found := range rep.Found {
			if found.Name != "stale" {
				f.T.Errorf("fsck: %v", found)
			}
		}
	}
	rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
	if err != nil || len(rep.Found) > 0 {
		f.T.Errorf("fsck after a repair: %v, %v", rep.Found, err)
	}
}

func (f *fixture) run(args ...string) {
	f.T.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
		f.T.Fatalf("%v: %v: %s", args, err, out)
	}
}

// answers checks what is live, by every way to ask for it.
func (f *fixture) answers(what string, want map[string]string) {
	f.T.Helper()
	live, err := contents(f.Store)
	if err != nil || !maps.Equal(live, want) {
		f.T.Errorf("%s: the list has %v, want %v (%v)", what, live, want, err)
	}
	for _, key := range []string{"/kept", "/changed", "/voided", "/risen", "/tail", "/new", "/newer"} {
		content := want[key]
		if content == "" {
			content = "(none)"
		}
		if got := f.Content(key); got != content {
			f.T.Errorf("%s: get %s is %s, want %s", what, key, got, content)
		}
	}
}
