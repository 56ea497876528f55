//go:build linux

package e2e

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// cutter is a way to a server that cuts every connection of an even number when the answer begins.
type cutter struct {
	net.Listener
	to    string
	count atomic.Int64
	cuts  atomic.Int64
}

func (c *cutter) serve() {
	for {
		conn, err := c.Accept()
		if err != nil {
			return
		}
		go c.pass(conn, c.count.Add(1)%2 == 1)
	}
}

func (c *cutter) pass(conn net.Conn, cut bool) {
	defer conn.Close()
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, conn) }()
	if !cut {
		_, _ = io.Copy(conn, server)
		return
	}
	if n, _ := io.ReadFull(server, make([]byte, 1)); n == 1 {
		c.cuts.Add(1) // the verb has run, and its caller hears nothing of it
	}
}

// cutWrites is how many commands lose their first answer.
const cutWrites = 20

// A command whose answer was lost is sent again, and is run once.
func TestLostAnswersOfCommands(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	home := t.TempDir()
	srv, tokens := filepath.Join(home, "srv"), filepath.Join(home, "tokens")
	port := startServer(t, bin, srv)
	way, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: way, to: "127.0.0.1:" + port}
	go c.serve()
	t.Cleanup(func() { way.Close() })
	origin := "http://" + way.Addr().String()
	addToken(t, bin, srv, "t1", origin, tokens, []string{"ada"})
	for i := range cutWrites {
		cmd := exec.Command(filepath.Join(bin, "mem"), "note", "number "+strconv.Itoa(i))
		cmd.Env = append(os.Environ(), "MEM_ROOT="+origin+"/t1", "MEM_TOKEN_FILE="+tokens)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%d: %v\n%s", i, err, out)
		}
	}
	out, err := exec.Command(filepath.Join(bin, "mem"), "history", "--log", "--limit", "1000",
		"--root", srv+"/tenants/t1").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(out), "number "); got != cutWrites || c.cuts.Load() < cutWrites {
		t.Errorf("%d notes after %d lost answers, want %d:\n%s", got, c.cuts.Load(), cutWrites, out)
	}
	runMem(t, bin, "fsck", "--root", srv+"/tenants/t1")
}
