package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

// While a purge is stopped before any of its calls that change the disk, a get and a hook have
// their answers, and a write that gives up waiting names the purge.
func TestReadsDuringAPurge(t *testing.T) {
	t.Parallel()
	err := tracing()
	testkit.Need(t, err == nil, fmt.Sprintf("processes cannot be traced here: %v", err))
	w := &purgeWorld{t: t, bin: filepath.Join(buildMem(t), "mem"),
		root: filepath.Join(storetest.Dir(t), "memory"), now: noon}
	w.ready()
	w.run("note", "the tea is in the kitchen", "--pin", "-q")
	w.plant()
	stride := testkit.Extent(5, 5, 1)
	held := 0
	tr := &tracee{cmd: w.forget(), counts: changes, at: stride}
	tr.hit = func(tr *tracee, _ int) (bool, error) {
		tr.at += stride
		return true, w.readDuringPurge(fmt.Sprintf("before call %d, %s", tr.calls, tr.last), &held)
	}
	if exit, err := tr.trace(); err != nil || exit != 0 {
		t.Fatalf("exit %d, %v", exit, err)
	}
	t.Logf("%d calls, stopped %d times with the lock", tr.calls, held)
	if held < 10 {
		t.Error("that is too few")
	}
	w.forgotten("after it")
	w.run("fsck", "-q")
}

// readDuringPurge reads, and writes where the purge has the lock.
func (w *purgeWorld) readDuringPurge(what string, held *int) error {
	if out := w.run("get", "/static/k1"); !strings.Contains(out, "static 1") {
		w.t.Errorf("%s: get: %s", what, out)
	}
	hook := w.mem("hook", "codex")
	hook.Env = append(hook.Env, "XDG_STATE_HOME="+w.root+".home", "MEM_HOOK_DEADLINE=1m")
	hook.Stdin = strings.NewReader(fmt.Sprintf(
		`{"hook_event_name":"SessionStart","session_id":%q}`, what))
	if out, err := hook.Output(); err != nil || !strings.Contains(string(out), "the tea is in") {
		w.t.Errorf("%s: the hook: %v, %s", what, err, out)
	}
	dir, err := disk.Open(w.root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if locked, holder, err := log.Held(dir); !locked || holder.Op != "purge" {
		return err
	}
	*held++
	set := w.mem("set", "/w", `"1"`, "-s", "t", "-q", "--lock-timeout", "10ms")
	out, _ := set.CombinedOutput() // its exit code is looked at
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if code := set.ProcessState.ExitCode(); code != 5 || len(lines) != 2 ||
		!strings.HasPrefix(lines[0], "mem: lock: held by pid ") ||
		!strings.Contains(lines[0], " (purge since ") || !strings.HasPrefix(lines[1], "mem: hint: ") {
		w.t.Errorf("%s: a write: exit %d, %s", what, code, out)
	}
	return nil
}
