//go:build linux

package e2e

import (
	"maps"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem"
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
	f := &fixture{t: t, root: filepath.Join(quickDir(t), "memory"), now: noon}
	f.open()
	defer func() { f.Close() }()
	compact := func() {
		if compacted {
			_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
			f.must(err)
		}
	}
	f.put("/kept", `"kept"`)
	f.put("/changed", `"before"`)
	f.put("/voided", `"before"`)
	f.put("/risen", `"before"`)
	f.put("/risen", "null")
	compact()
	f.put("/tail", `"before"`)
	want, err := contents(f.Store)
	f.must(err)
	backup := f.root + ".backup"
	f.run("cp", "-a", f.root, backup)
	f.now = noon.Add(time.Hour)
	for key, content := range map[string]string{"/changed": `"after"`, "/voided": "null",
		"/risen": `"after"`, "/new": `"after"`, "/tail": "null"} {
		f.put(key, content)
	}
	compact()
	f.put("/newer", `"after"`)
	f.run(append(copier, backup+"/.", f.root+"/")...)
	f.answers("the same process", want)
	f.Close()
	f.now = noon.Add(2 * time.Hour)
	f.open()
	f.answers("a reader", want)
	f.put("/next", "1")
	want["/next"] = "1"
	f.answers("after the next set", want)
	f.onlyTheViewIsLate()
	f.answers("after a repair", want)
}

// onlyTheViewIsLate checks that a restore which keeps the log's inode leaves nothing but files of
// what was written after the backup, in index/, which no answer comes from; that fsck names each of
// them; and that a repair sets them aside.
func (f *fixture) onlyTheViewIsLate() {
	f.t.Helper()
	for _, repair := range []bool{false, true} {
		rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: repair})
		f.must(err)
		for _, found := range rep.Found {
			if found.Name != "stale" {
				f.t.Errorf("fsck: %v", found)
			}
		}
	}
	rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
	if err != nil || len(rep.Found) > 0 {
		f.t.Errorf("fsck after a repair: %v, %v", rep.Found, err)
	}
}

func (f *fixture) run(args ...string) {
	f.t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
		f.t.Fatalf("%v: %v: %s", args, err, out)
	}
}

// answers checks what is live, by every way to ask for it.
func (f *fixture) answers(what string, want map[string]string) {
	f.t.Helper()
	live, err := contents(f.Store)
	if err != nil || !maps.Equal(live, want) {
		f.t.Errorf("%s: the list has %v, want %v (%v)", what, live, want, err)
	}
	for _, key := range []string{"/kept", "/changed", "/voided", "/risen", "/tail", "/new", "/newer"} {
		content := want[key]
		if content == "" {
			content = "(none)"
		}
		if got := f.content(key); got != content {
			f.t.Errorf("%s: get %s is %s, want %s", what, key, got, content)
		}
	}
}
