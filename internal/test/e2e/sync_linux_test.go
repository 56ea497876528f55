package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
)

// computer is one of a person's machines: a home directory.
type computer struct {
	t    *testing.T
	bin  string // the directory of the programs
	home string
	env  []string
}

func newComputer(t *testing.T, env ...string) *computer {
	t.Helper()
	return &computer{t, buildMem(t), t.TempDir(), env}
}

func (c *computer) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, "mem"), args...)
	cmd.Dir = c.home
	cmd.Env = append([]string{"PATH=" + c.bin + ":" + os.Getenv("PATH"), "HOME=" + c.home}, c.env...)
	return cmd
}

// try runs mem, and returns its output and its error.
func (c *computer) try(args ...string) (out string, err error) {
	var stderr bytes.Buffer
	cmd := c.command(args...)
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("mem %v: %w: %s", args, err, stderr.String())
	}
	return string(text), err
}

func (c *computer) mem(args ...string) string {
	c.t.Helper()
	out, err := c.try(args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// join copies the key of another machine, as a person types it, and joins its depot.
func (c *computer) join(from *computer, dest string) {
	c.t.Helper()
	const path = ".local/state/mem/sync/key"
	key, err := os.ReadFile(filepath.Join(from.home, path))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(filepath.Join(c.home, path)), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(c.home, path), key, 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.mem("sync", "join", "--yes", dest)
}

// memories returns the live memories of a machine.
func (c *computer) memories() string { return c.mem("export", "--layer", "user") }

// settle exchanges until nothing is left to send, and holds the machines against each other.
func settle(t *testing.T, machines ...*computer) {
	t.Helper()
	for range 5 { // from one end of three machines to the other and back
		for _, c := range machines {
			c.mem("sync")
		}
	}
	want := strings.Split(machines[0].memories(), "\n")
	slices.Sort(want)
	for _, c := range machines {
		got := strings.Split(c.memories(), "\n")
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("the memories differ:\n%q\n%q", got, want)
		}
		c.mem("fsck")
	}
}

// sshd starts a real server of ssh on loopback for this user, and returns what a client needs to
// reach it: a program ssh with a configuration of its own. Logins begin with a greeting.
func sshd(t *testing.T, far *computer) (port string, path string) {
	t.Helper()
	server := "/usr/sbin/sshd" // it must be started by its whole path
	_, err := os.Stat(server)
	testkit.Need(t, err == nil, server+" is not installed")
	client, keygen := testkit.Program(t, "ssh"), testkit.Program(t, "ssh-keygen")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, name := range []string{"host", "user"} {
		if out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	public, err := os.ReadFile(filepath.Join(dir, "user.pub"))
	if err != nil {
		t.Fatal(err)
	}
	os.MkdirAll("/run/sshd", 0o755) // where root's sshd asks for it
	login := write("login", fmt.Sprintf("#!/bin/sh\necho Welcome to the NAS\nprintf 'no newline '\n"+
		"export HOME=%s PATH=%s:$PATH\nexec sh -c \"$SSH_ORIGINAL_COMMAND\"\n", far.home, far.bin), 0o755)
	config := write("sshd_config", fmt.Sprintf("ListenAddress 127.0.0.1:%s\nHostKey %s/host\n"+
		"AuthorizedKeysFile %s\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"+
		"PermitRootLogin yes\nForceCommand %s\n", port, dir,
		write("authorized", string(public), 0o600), login), 0o600)
	cmd := exec.Command(server, "-D", "-e", "-f", config)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	for range 500 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	write("ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F none -i %s/user -o User=%s -o "+
		"StrictHostKeyChecking=no -o UserKnownHostsFile=%s/known \"$@\"\n", client, dir, me.Username,
		dir), 0o755)
	return port, dir
}

// Two machines exchange over a real server of ssh, whose logins print a greeting first.
func TestSyncOverSSH(t *testing.T) {
	t.Parallel()
	nas := newComputer(t)
	port, path := sshd(t, nas)
	with := "PATH=" + path + ":" + nas.bin + ":" + os.Getenv("PATH")
	one, two := newComputer(t, with), newComputer(t, with)
	dest := "ssh://127.0.0.1:" + port + "/home"
	one.mem("set", "/user/a", `"helix"`, "-s", "chat", "-q")
	two.mem("set", "/user/b", `"b"`, "-s", "chat", "-q")
	one.mem("sync", "init", "--yes", dest)
	if _, err := one.try("sync", "join", "--yes", dest+"-not"); err == nil ||
		!strings.Contains(err.Error(), "no depot is there") {
		t.Errorf("before it is made: %v", err)
	}
	two.join(one, dest)
	settle(t, one, two)
	if out := two.mem("get", "/user/a"); strings.TrimSpace(out) != `"helix"` {
		t.Errorf("got %s", out)
	}
	if in := grep(nas.home, "helix"); in != "" {
		t.Errorf("plain text is in %s", in)
	}
	if _, err := one.try("sync", "join", "--yes", "ssh://127.0.0.1:1/home"); err == nil ||
		!strings.Contains(err.Error(), "efused") {
		t.Errorf("without a server: %v", err)
	}
	// The server is one that lists, gets, puts and removes: it reads no line, and has no key.
	if out, err := nas.try("ls"); err != nil || out != "" {
		t.Errorf("the server has memories: %s, %v", out, err)
	}
}

// grep returns a file below a directory that holds a text.
func grep(dir, text string) string {
	out, _ := exec.Command("grep", "-rlF", "--", text, dir).Output()
	return strings.TrimSpace(string(out))
}

// Three machines and two folders; each exchange may be killed at any moment. In the end all have
// all that was acknowledged.
func TestKilledSyncs(t *testing.T) {
	t.Parallel()
	left, right := filepath.Join(t.TempDir(), "left"), filepath.Join(t.TempDir(), "right")
	machines := []*computer{newComputer(t), newComputer(t), newComputer(t)}
	machines[0].mem("set", "/user/first", "1", "-s", "chat", "-q")
	machines[0].mem("sync", "init", "--yes", left)
	machines[1].join(machines[0], left)
	machines[1].mem("sync", "init", "--yes", right)
	machines[2].join(machines[1], right)
	killed, acknowledged := 0, map[string]string{}
	for i := range 36 {
		c := machines[i%3]
		key, text := fmt.Sprintf("/user/k%d", i%7), fmt.Sprintf(`"text %d"`, i)
		c.mem("set", key, text, "-s", "chat", "-q")
		acknowledged[text] = key
		cmd := c.command("sync", "-q")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		if syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) == nil {
			var died *exec.ExitError
			if errors.As(cmd.Wait(), &died) && died.Sys().(syscall.WaitStatus).Signaled() {
				killed++
			}
		}
	}
	if killed < 5 {
		t.Errorf("only %d syncs were killed", killed)
	}
	settle(t, machines...)
	for text, key := range acknowledged {
		for i, c := range machines {
			if !strings.Contains(c.mem("history", key), text) {
				t.Errorf("machine %d: %s of %s is lost", i, text, key)
			}
		}
	}
}

// A depot on a full disk takes nothing, and says so; with room the next exchange does. One that
// disappears between is reported, and nothing is lost.
func TestSyncWithoutRoom(t *testing.T) {
	t.Parallel()
	disk := small(t, "size=256k")
	one, two := newComputer(t), newComputer(t)
	dest := filepath.Join(disk, "depot")
	one.mem("sync", "init", "--yes", dest)
	filler := filepath.Join(disk, "filler")
	if out, err := exec.Command("dd", "if=/dev/zero", "of="+filler, "bs=4k").CombinedOutput(); err == nil {
		t.Fatalf("the disk has no end: %s", out)
	}
	for i := range 50 {
		one.mem("set", fmt.Sprintf("/user/k%d", i), fmt.Sprintf(`"%x"`, rand.Uint64()), "-s", "chat", "-q")
	}
	_, err := one.try("sync")
	if died := (*exec.ExitError)(nil); !errors.As(err, &died) || died.ExitCode() != 6 ||
		!strings.Contains(err.Error(), "no space left") {
		t.Errorf("on a full disk: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	two.join(one, dest)
	settle(t, one, two)
	if err := os.Rename(dest, dest+".away"); err != nil {
		t.Fatal(err)
	}
	one.mem("set", "/user/more", "1", "-s", "chat", "-q")
	if _, err := one.try("sync"); err == nil || !strings.Contains(err.Error(), "is mounted") {
		t.Errorf("gone: %v", err)
	}
	if err := os.Rename(dest+".away", dest); err != nil {
		t.Fatal(err)
	}
	// Two push at once.
	two.mem("set", "/user/other", "1", "-s", "chat", "-q")
	both := []*exec.Cmd{one.command("sync"), two.command("sync")}
	for _, cmd := range both {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmp.Or(both[0].Wait(), both[1].Wait()); err != nil {
		t.Error(err)
	}
	settle(t, one, two)
	var answer struct {
		Destinations []struct {
			Sent, Received int
			Machines       map[string]any
		}
	}
	if err := json.Unmarshal([]byte(one.mem("sync", "list", "--json")), &answer); err != nil ||
		len(answer.Destinations) != 1 || answer.Destinations[0].Sent != 51 ||
		answer.Destinations[0].Received != 1 || len(answer.Destinations[0].Machines) != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
}

// Where the settings say so the end of a conversation exchanges, in the background; a place that
// does not answer is left after a time.
func TestSyncAtSessionEnd(t *testing.T) {
	laptop, desk := newComputer(t), newComputer(t)
	dest := filepath.Join(t.TempDir(), "depot")
	laptop.mem("sync", "init", dest, "--yes", "-q")
	desk.join(laptop, dest)
	end := func() {
		t.Helper()
		cmd := laptop.command("hook", "claude-code")
		cmd.Stdin = strings.NewReader(`{"hook_event_name":"SessionEnd","session_id":"s"}`)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
	}
	laptop.mem("set", "/user/one", `"first"`, "-s", "chat", "-q")
	end() // the setting is off
	before := laptop.mem("sync", "list", "--jq", ".destinations[0].sent")
	laptop.mem("config", "set", "sync.session_end", "true", "--layer", "user")
	end()
	for laptop.mem("sync", "list", "--jq", ".destinations[0].sent") == before {
		time.Sleep(20 * time.Millisecond)
	}
	desk.mem("sync", "-q")
	if got := desk.mem("get", "/user/one"); got != "\"first\"\n" {
		t.Errorf("the other machine has %s", got)
	}
	bin := t.TempDir()
	silent := "#!/bin/sh\necho $$ > " + bin + "/pid\nexec sleep 20\n"
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(silent), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := laptop.command("sync", "join", "ssh://nas/home", "--yes", "--within", "1s")
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "--within") {
		t.Errorf("%v: %s", err, out) // a flag of mem sync alone
	}
	places := filepath.Join(laptop.home, ".local/state/mem/sync/places.json")
	text, err := os.ReadFile(places)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(dest), []byte("ssh://nas/home"), 1)
	if err := os.WriteFile(places, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd = laptop.command("sync", "--within", "200ms")
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if exit := cmd.ProcessState.ExitCode(); exit != 5 ||
		!strings.Contains(string(out), "sync: not done within 200ms") {
		t.Errorf("exit %d, %v: %s", exit, err, out)
	}
	pid, err := os.ReadFile(filepath.Join(bin, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if comm, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/comm"); err == nil {
		t.Errorf("ssh outlives it: %s", comm)
	}
	if fault := laptop.mem("sync", "list", "--jq", ".destinations[0].fault"); fault != "null\n" {
		t.Errorf("a fault of the destination: %s", fault)
	}
}
