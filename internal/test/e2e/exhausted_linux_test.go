package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// spent is a store whose system has run out of something.
type spent struct {
	t    *testing.T
	root string
	wrap []string // runs a command under the shortage

	stdin string
}

// run returns exit code, stdout and stderr of the real binary.
func (s *spent) run(bin string, args ...string) (exit int, out, errs string) {
	s.t.Helper()
	argv := append(append([]string{}, s.wrap...),
		append([]string{bin, "--root", s.root}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(s.stdin), &stdout, &stderr
	cmd.Env = append(os.Environ(), "MEM_HOOK_DEADLINE=1m")
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// reads checks that everything still reads.
func (s *spent) reads(bin, what string, live map[string]string) {
	s.t.Helper()
	for key, content := range live {
		if exit, out, errs := s.run(bin, "get", key); exit != 0 ||
			strings.TrimSpace(out) != content {
			s.t.Errorf("%s: get %s: exit %d: %.50s %s", what, key, exit, out, errs)
		}
	}
	for _, args := range [][]string{{"ls"}, {"read"}, {"search", "1"}, {"query", ".key"},
		{"history", "/a"}, {"stat"}} {
		if exit, out, errs := s.run(bin, args...); exit != 0 || out == "" {
			s.t.Errorf("%s: %v: exit %d: %s", what, args, exit, errs)
		}
	}
}

// tells checks that a hook has its say.
func (s *spent) tells(bin, what string) {
	s.t.Helper()
	s.stdin = `{"hook_event_name":"SessionStart","session_id":"s"}`
	defer func() { s.stdin = "" }()
	if exit, out, errs := s.run(bin, "hook", "codex", "--now", "2036-01-01T00:00:00Z"); exit != 0 ||
		errs != "" || !strings.HasPrefix(out, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"[Agent Memory]\n`) {
		s.t.Errorf("%s: the hook: exit %d: %q %q", what, exit, out, errs)
	}
}

// refuses checks that a write leaves with 6 and one line that names the cause.
func (s *spent) refuses(bin, what, cause string, args ...string) {
	s.t.Helper()
	exit, out, errs := s.run(bin, args...)
	lines := strings.Split(strings.TrimSpace(errs), "\n")
	if exit != 6 || out != "" || !strings.HasPrefix(lines[0], "mem: ") ||
		!strings.Contains(lines[0], cause) || len(lines) > 2 || len(lines) == 2 &&
		!strings.HasPrefix(lines[1], "mem: hint: ") {
		s.t.Errorf("%s: %.60v: exit %d: %s%s", what, args, exit, out, errs)
	}
}

// recovers checks that all is well again: what was acknowledged is there, the next set works, fsck
// is content.
func (s *spent) recovers(bin, what string, live map[string]string) {
	s.t.Helper()
	s.wrap = nil
	if exit, _, errs := s.run(bin, "set", "/after", "1", "-s", "t"); exit != 0 {
		s.t.Errorf("%s: the next set: %s", what, errs)
	}
	s.reads(bin, what+" is over", live)
	if exit, out, errs := s.run(bin, "fsck"); exit != 0 {
		s.t.Errorf("%s: fsck: %s%s", what, out, errs)
	}
}

// small mounts a small file system in memory.
func small(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("mem-test", dir, "tmpfs", 0, options)
	testkit.NeedInFull(t, err == nil, fmt.Sprintf("nothing can be mounted here: %v", err))
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes until something refuses, and returns what was acknowledged. Each write is checked to
// be stored or refused in one line.
func (s *spent) fill(bin, cause string, size int) map[string]string {
	s.t.Helper()
	live := map[string]string{"/a": "1"}
	if exit, _, errs := s.run(bin, "set", "/a", "1", "-s", "t"); exit != 0 {
		s.t.Fatal(errs)
	}
	refused := 0
	for i := 0; refused < 6 && i < 300; i++ {
		key, content := fmt.Sprintf("/fill/%d/k", i),
			fmt.Sprintf(`"%s"`, strings.Repeat("x", size>>min(2*refused, 8)))
		exit, _, errs := s.run(bin, "set", key, content, "-s", "t")
		switch first, _, _ := strings.Cut(errs, "\n"); {
		case exit == 0:
			live[key] = content
		case exit != 6 || !strings.Contains(first, cause):
			s.t.Fatalf("set of %s: exit %d: %s", key, exit, errs)
		default:
			refused++
			if strings.Contains(first, "stored in the log") {
				live[key] = content
			}
		}
	}
	if refused == 0 {
		s.t.Fatal("the disk never filled up")
	}
	return live
}

// A disk that is full, out of inodes, read-only, or a process out of descriptors: everything still
// reads, writes are refused in one line, and all is well again once there is room.
func TestExhausted(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(buildMem(t), "mem")
	t.Run("full disk", func(t *testing.T) {
		disk := small(t, "size=1m")
		s := &spent{t: t, root: filepath.Join(disk, "memory")}
		ballast := filepath.Join(disk, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 300<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		live := s.fill(bin, "no space left on device", 20_000)
		s.reads(bin, "full", live)
		s.tells(bin, "full")
		for _, args := range [][]string{{"set", "/big", `"` + strings.Repeat("y", 100_000) + `"`, "-s",
			"t"}, {"compact"}} {
			s.refuses(bin, "full", "no space left on device", args...)
		}
		s.reads(bin, "full, and refused", live)
		os.Remove(ballast)
		s.recovers(bin, "full", live)
	})
	t.Run("out of inodes", func(t *testing.T) {
		disk := small(t, "size=8m,nr_inodes=60")
		s := &spent{t: t, root: filepath.Join(disk, "memory")}
		for i := range 20 {
			if err := os.WriteFile(filepath.Join(disk, fmt.Sprintf("ballast%d", i)), nil,
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		live := s.fill(bin, "no space left on device", 10)
		s.reads(bin, "out of inodes", live)
		s.tells(bin, "out of inodes")
		s.refuses(bin, "out of inodes", "no space left on device", "set", "/x/y/z", "1", "-s", "t")
		live["/x/y/z"] = "1"
		for i := range 20 {
			os.Remove(filepath.Join(disk, fmt.Sprintf("ballast%d", i)))
		}
		s.recovers(bin, "out of inodes", live)
	})
	t.Run("out of descriptors", func(t *testing.T) { outOfDescriptors(t, bin) })
	t.Run("read-only", func(t *testing.T) { readOnly(t, bin) })
}

// outOfDescriptors returns each command fewer and fewer: it does its work or leaves with one line,
// and harms nothing.
func outOfDescriptors(t *testing.T, bin string) {
	s := &spent{t: t, root: filepath.Join(storetest.Dir(t), "memory")}
	if exit, _, errs := s.run(bin, "set", "/a", "1", "-s", "t"); exit != 0 {
		t.Fatal(errs)
	}
	live := map[string]string{"/a": "1"}
	failed := 0
	for limit := 3; limit < 24; limit++ {
		s.wrap = []string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$@"`, limit), "sh"}
		for _, args := range [][]string{{"set", fmt.Sprintf("/n/%d", limit), "1", "-s", "t"},
			{"get", "/a"}, {"ls", "-1"}, {"compact"}, {"fsck"}} {
			exit, out, errs := s.run(bin, args...)
			first, _, _ := strings.Cut(errs, "\n")
			if args[0] == "set" && (exit == 0 || strings.Contains(first, "stored in the log")) {
				live[args[1]] = "1"
			}
			if exit == 0 {
				continue
			}
			failed++
			if exit != 6 || strings.Contains(errs, "goroutine") ||
				!strings.HasPrefix(first, "mem: ") ||
				!strings.Contains(first, "too many open files") {
				t.Errorf("%d descriptors: %v: exit %d: %.300s%s", limit, args, exit, errs, out)
			}
		}
	}
	if failed == 0 {
		t.Error("no limit was too low")
	}
	s.recovers(bin, "out of descriptors", live)
}

// readOnly lets another user at a store that he may read and not write.
func readOnly(t *testing.T, bin string) {
	testkit.Need(t, os.Getuid() == 0, "only root may become another user")
	setpriv := testkit.Program(t, "setpriv")
	base := storetest.Dir(t)
	s := &spent{t: t, root: filepath.Join(base, "memory")}
	live := map[string]string{"/a": "1", "/b/c": "2"}
	for key, content := range live {
		s.run(bin, "set", key, content, "-s", "t")
	}
	copied := filepath.Join(base, "mem")
	text, err := os.ReadFile(bin)
	if err == nil {
		err = os.WriteFile(copied, text, 0o755)
	}
	if err == nil {
		err = exec.Command("chmod", "-R", "a+rX", base).Run()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.wrap = []string{setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"}
	s.reads(copied, "read-only", live)
	s.tells(copied, "read-only")
	for _, args := range [][]string{{"set", "/a", "2", "-s", "t"}, {"rm", "/a"}, {"compact"}} {
		s.refuses(copied, "read-only", "permission denied", args...)
	}
	if exit, out, errs := s.run(copied, "doctor"); exit != 1 ||
		!strings.Contains(out, "this user may not write here") {
		t.Errorf("doctor: exit %d: %s%s", exit, out, errs)
	}
	if err := exec.Command("chmod", "-R", "go-rwx", s.root).Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(s.root, "lock"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.recovers(bin, "read-only", live)
}
