package main

import (
	"bytes"
	"fmt"
	"github.com/set-memory/mem/internal/test/testkit"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A second memd does not take the socket of one that runs, and one that ends takes its own out.
func TestOneServerForASocket(t *testing.T) {
	d := startDaemon(t, newRoot(t))
	got := run(t, exec.Command(filepath.Join(d.bin, "mem"), "serve", "--root", d.root))
	want := fmt.Sprintf("mem: %s/memd.sock: already served by pid %d (since ", d.root,
		d.cmd.Process.Pid)
	if got.code != 5 || !strings.HasPrefix(got.stderr, want) {
		t.Errorf("%+v, want %s", got, want)
	}
	d.eventually("t1")
	d.stop()
	if _, err := os.Lstat(filepath.Join(d.root, "memd.sock")); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

// A root that is a memory itself serves nobody.
func TestServeRefusesAMemory(t *testing.T) {
	root := t.TempDir()
	mem := filepath.Join(programs(t), "mem")
	set := exec.Command(mem, "--root", root, "set", "/a", "1", "-s", "x")
	if got := run(t, set); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for _, args := range [][]string{{"serve", "--root", root}, {"token", "list", "--root", root},
		{"serve"}, {"token"}, {"token", "nonsense", "--root", root}, {"serve", "x", "--root", root},
		{"serve", "--root", root, "--lock-timeout", "-1s"}, {"key", "new"}} {
		cmd := exec.Command(mem, args...)
		cmd.Env = append(os.Environ(), "MEM_ROOT="+root)
		if got := run(t, cmd); got.code != 2 || !strings.Contains(got.stderr, "\nmem: hint: ") &&
			args[0] != "serve" {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// Sockets that systemd has opened are served: what came in before memd was there is answered.
func TestSocketActivation(t *testing.T) {
	root := newRoot(t)
	if err := os.MkdirAll(filepath.Dir(root), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(root), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	file, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, root: root, bin: programs(t)}
	script := `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" serve --root "$1"`
	d.cmd = exec.Command("sh", "-c", script, filepath.Join(d.bin, "mem"), root, "--socket", path)
	d.cmd.ExtraFiles = []*os.File{file}
	var said bytes.Buffer
	d.cmd.Stderr = &said
	d.connect()
	asked := make(chan int, 1)
	go func() {
		res, err := d.http.Get("http://mem/healthz")
		if err != nil {
			t.Error(err)
			asked <- 0
			return
		}
		res.Body.Close()
		asked <- res.StatusCode
	}()
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if status := <-asked; status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	d.http.CloseIdleConnections()
	d.cmd.Process.Signal(syscall.SIGTERM)
	if err := d.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said.String())
	}
	for _, name := range []string{path, root} {
		if _, err := os.Lstat(name); err != nil {
			t.Errorf("what systemd has made is gone: %v", err)
		}
	}
	if _, err := os.Lstat(filepath.Join(root, "memd.sock")); !os.IsNotExist(err) {
		t.Errorf("another socket was made: %v", err)
	}
}

// A compaction that is due runs in a process of its own, and the log says so.
func TestCompactionRunsAside(t *testing.T) {
	d := startDaemon(t, newRoot(t))
	text := strings.Repeat("so much is said of dentists ", 1000)
	testkit.WaitFor(t, "a compaction", func() bool {
		got, err := d.ask("PUT", "/api/v1/memories/a", map[string]any{"tenant_id": "t1",
			"content": text, "source": "x"})
		if err != nil || got.status != 200 {
			t.Fatalf("%d %s %v", got.status, got.body, err)
		}
		said, err := os.ReadFile(d.log)
		return err == nil && bytes.Contains(said, []byte("compaction done"))
	})
	if _, err := os.Stat(filepath.Join(d.tenant("t1"), "checkpoint.json")); err != nil {
		t.Error(err)
	}
	got, err := d.ask("GET", "/metrics", nil)
	if err != nil || !bytes.Contains(got.body, []byte(`memd_compactions_total{result="done"}`)) {
		t.Errorf("%s %v", got.body, err)
	}
}

// What is of sensitivity high comes back with the key alone, and no word of it is on disk.
func TestSealedOverHTTP(t *testing.T) {
	root := newRoot(t)
	key := filepath.Join(filepath.Dir(root), "key")
	mem := filepath.Join(programs(t), "mem")
	if got := run(t, exec.Command(mem, "key", "new", key)); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	d := startDaemon(t, root)
	e := event("t1", "s1", "the launch code is xylophone")
	e["sensitivity"] = "high"
	if got, err := d.ask("POST", "/api/v1/events", e); err != nil || got.status != 422 {
		t.Errorf("without a key: %d %s %v", got.status, got.body, err)
	}
	d.stop()
	t.Setenv("MEM_AGE_IDENTITY", key)
	d.start()
	for range 2 {
		if got, err := d.ask("POST", "/api/v1/events", e); err != nil || got.status != 201 {
			t.Errorf("%d %s %v", got.status, got.body, err)
		}
		if got := run(t, exec.Command(mem, "key", "rotate")); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	if got := d.mem("t1", "event", "--session", "s1", "--sensitivity", "high", "--text",
		"of the command line"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	got, err := d.ask("POST", "/api/v1/acb/build", map[string]any{"tenant_id": "t1",
		"session_id": "s1", "agent_id": "ada"})
	if err != nil || !bytes.Contains(got.body, []byte("xylophone")) ||
		!bytes.Contains(got.body, []byte("command line")) {
		t.Errorf("%s %v", got.body, err)
	}
	if found := run(t, exec.Command("grep", "-rl", "xylophone", root)); found.out != "" {
		t.Errorf("%s", found.out)
	}
}

// mem hands a write over that it cannot seal, with what it has read of standard input.
func TestMemSealsByMemd(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	key := filepath.Join(t.TempDir(), "key")
	mem := filepath.Join(programs(t), "mem")
	store := func(bin string, env ...string) ran {
		cmd := exec.Command(bin, "--root", root, "event", "-")
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdin = strings.NewReader(`{"session_id":"s1","sensitivity":"high","kind":"message",` +
			`"actor":{"type":"human","id":"u"},"content":{"text":"xylophone"}}` + "\n")
		return run(t, cmd)
	}
	alone := filepath.Join(copied(t, "mem"), "mem")
	if got := store(alone); got.code != 2 || !strings.Contains(got.stderr, "it needs memd") {
		t.Errorf("without memd: %+v", got)
	}
	if got := store(mem); got.code != 3 {
		t.Errorf("without a key: %+v", got)
	}
	if list, err := os.ReadDir(filepath.Join(root, "index")); err == nil && len(list) > 0 {
		t.Errorf("something is stored: %v", list)
	}
	if got := run(t, exec.Command(mem, "key", "new", key)); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	got := store(mem, "MEM_AGE_IDENTITY="+key)
	if got.code != 0 || !strings.Contains(got.out, `"event_id":"evt_`) {
		t.Errorf("%+v", got)
	}
	build := exec.Command(mem, "--root", root, "bundle", "--session", "s1", "--agent", "ada")
	build.Env = append(os.Environ(), "MEM_AGE_IDENTITY="+key)
	if got := run(t, build); !strings.Contains(got.out, "xylophone") {
		t.Errorf("%+v", got)
	}
	build = exec.Command(mem, "--root", root, "bundle", "--session", "s1", "--agent", "ada")
	if got := run(t, build); got.code != 0 || !strings.Contains(got.out, `"reason":"sealed"`) {
		t.Errorf("%+v", got)
	}
	if got := run(t, exec.Command(mem, "--root", root, "fsck")); got.code != 0 {
		t.Errorf("%+v", got)
	}
}
