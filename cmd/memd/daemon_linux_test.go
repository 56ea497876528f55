package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"github.com/set-memory/mem/internal/test/testkit"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// daemon is a memd that runs.
type daemon struct {
	t    testing.TB
	cmd  *exec.Cmd
	root string
	bin  string
	log  string // the file with what it said
	http *http.Client

	ended bool
}

// startDaemon starts memd over a root, with more flags, and waits until it serves. It is stopped at
// the end of the test, where every memory must pass a full fsck.
func startDaemon(t testing.TB, root string, flags ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, root: root, bin: programs(t), log: filepath.Join(t.TempDir(), "log")}
	t.Cleanup(func() {
		if !d.ended {
			d.stop()
		}
		d.fsck()
		if t.Failed() {
			text, _ := os.ReadFile(d.log)
			t.Logf("the log ends in\n%s", text[max(0, len(text)-4000):])
		}
	})
	d.start(flags...)
	return d
}

func (d *daemon) start(flags ...string) {
	d.t.Helper()
	said, err := os.OpenFile(d.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer said.Close()
	args := append([]string{"serve", "--root", d.root}, flags...)
	d.cmd = exec.Command(filepath.Join(d.bin, "memd"), args...)
	d.cmd.Stderr, d.ended = said, false
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.connect()
	testkit.WaitFor(d.t, "memd", func() bool {
		res, err := d.http.Get("http://mem/healthz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == 200
	})
}

// connect makes a client with connections of its own.
func (d *daemon) connect() {
	socket := filepath.Join(d.root, "memd.sock")
	if at := slices.Index(d.cmd.Args, "--socket"); at > 0 {
		socket = d.cmd.Args[at+1]
	}
	d.http = &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
}

// stop ends memd as systemd does.
func (d *daemon) stop() {
	d.t.Helper()
	d.http.CloseIdleConnections()
	d.cmd.Process.Signal(syscall.SIGTERM)
	if err := d.cmd.Wait(); err != nil {
		d.t.Errorf("memd ended with %v", err)
	}
	d.ended = true
}

// kill ends memd without a warning.
func (d *daemon) kill() {
	d.cmd.Process.Kill()
	d.cmd.Wait()
	d.ended = true
	d.http.CloseIdleConnections()
}

func (d *daemon) tenant(id string) string { return filepath.Join(d.root, "tenants", id) }

// mem runs a verb on the memory of a tenant.
func (d *daemon) mem(tenant string, args ...string) ran {
	d.t.Helper()
	args = append([]string{"--root", d.tenant(tenant)}, args...)
	return run(d.t, exec.Command(filepath.Join(d.bin, "mem"), args...))
}

// fsck checks every memory.
func (d *daemon) fsck() {
	d.t.Helper()
	list, err := os.ReadDir(filepath.Join(d.root, "tenants"))
	if err != nil {
		d.t.Error(err)
	}
	for _, e := range list {
		if got := d.mem(e.Name(), "fsck"); got.code != 0 {
			d.t.Errorf("fsck of %s: %+v", e.Name(), got)
		}
	}
}

// reply is what a request got.
type reply struct {
	status int
	body   []byte
}

// ask asks over the socket; an error is one of the connection.
func (d *daemon) ask(method, path string, body any) (r reply, err error) {
	text, isText := body.(string)
	if !isText && body != nil {
		doc, err := json.Marshal(body)
		if err != nil {
			return r, err
		}
		text = string(doc)
	}
	req, err := http.NewRequest(method, "http://mem"+path, strings.NewReader(text))
	if err != nil {
		return r, err
	}
	res, err := d.http.Do(req)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	r.status = res.StatusCode
	r.body, err = io.ReadAll(res.Body)
	return r, err
}

// event returns an event of a tenant with a text.
func event(tenant, session, text string) map[string]any {
	return map[string]any{"tenant_id": tenant, "session_id": session, "channel": "private",
		"kind": "message", "actor": map[string]string{"type": "agent", "id": "ada"},
		"content": map[string]string{"text": text}}
}

// stored returns the texts of the events of a tenant that the command line finds.
func (d *daemon) stored(tenant string) map[string]bool {
	d.t.Helper()
	got := d.mem(tenant, "query", "--history",
		`select(.key|startswith("/event/"))|.content.content.text`)
	if got.code != 0 {
		d.t.Fatalf("%+v", got)
	}
	texts := map[string]bool{}
	for line := range strings.Lines(got.out) {
		var text string
		if json.Unmarshal([]byte(line), &text) != nil {
			text = strings.TrimSpace(line)
		}
		texts[text] = true
	}
	return texts
}

// status returns a number of /proc/PID/status, like Threads or VmRSS in KiB.
func (d *daemon) status(name string) int {
	d.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	if err != nil {
		d.t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if fields := strings.Fields(string(line)); fields[0] == name+":" {
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				d.t.Fatal(err)
			}
			return n
		}
	}
	d.t.Fatalf("no %s in %s", name, text)
	return 0
}

// newRoot returns a place for a root, short enough for a socket.
func newRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "memd-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "r")
}

// token makes a token of a root.
func token(t testing.TB, root, tenant string, agents ...string) string {
	t.Helper()
	got := run(t, exec.Command(filepath.Join(programs(t), "mem"), "token", "add", "--yes", tenant,
		"--agent", strings.Join(agents, ","), "--root", root))
	if got.code != 0 {
		t.Fatalf("%+v", got)
	}
	return strings.TrimSpace(got.out)
}

// freePort returns a free port at a loopback address of this process, on which no other program
// gets a port by chance before memd listens on it.
func freePort(t testing.TB) string {
	t.Helper()
	pid := os.Getpid()
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+pid>>16&63, pid>>8&255, 1+pid%254))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// eventually waits until a read of the memory is answered, and returns how long that took.
func (d *daemon) eventually(tenant string) time.Duration {
	d.t.Helper()
	began := time.Now()
	testkit.WaitFor(d.t, "a write", func() bool {
		got, err := d.ask("POST", "/api/v1/events", event(tenant, "s1", "well again"))
		return err == nil && got.status == 201
	})
	return time.Since(began)
}
