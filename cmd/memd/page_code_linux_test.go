package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// codeOf returns the last code for a page in what a server printed.
func codeOf(t *testing.T, log string) string {
	t.Helper()
	all := regexp.MustCompile(`"code":"([A-Z2-7]{8})"`).FindAllStringSubmatch(log, -1)
	if all == nil {
		t.Fatalf("no code in %q", log)
	}
	return all[len(all)-1][1]
}

// A program that can open the socket gets a URL of a tenant's page, and no cookie: that takes the
// code in the terminal of the server.
func TestPageNeedsTheCode(t *testing.T) {
	d := newDesk(t)
	root := filepath.Join(d.home, "r")
	d.must(d.command("mem", "set", "--root", filepath.Join(root, "tenants", "t1"), "/project/a",
		`"larch"`, "--source", "me").Run())
	master, slave := testkit.Terminal(t, 0)
	server := d.command("memd", "serve", "--root", root, "--listen", freePort(t))
	server.Stderr = slave
	d.must(server.Start())
	t.Cleanup(func() {
		d.must(server.Process.Signal(syscall.SIGTERM))
		d.must(server.Wait())
		d.mem("fsck", "--root", filepath.Join(root, "tenants", "t1"))
	})
	socket := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(root, "memd.sock"))
		}}}
	var reply struct{ URL string }
	testkit.WaitFor(t, "a server", func() bool {
		answer, err := socket.Post("http://memd/page/t1/invite?tenant_id=t1", "", nil)
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		d.must(json.NewDecoder(answer.Body).Decode(&reply))
		return true
	})
	enter := func(url string) (status int, cookie, says string) {
		t.Helper()
		answer, err := http.Get(url)
		d.must(err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		d.must(err)
		return answer.StatusCode, answer.Header.Get("Set-Cookie"), string(body)
	}
	status, cookie, says := enter(reply.URL)
	if status != 200 || cookie != "" || !strings.Contains(says, `name="code"`) {
		t.Fatalf("without a code: %d, cookie %q, %s", status, cookie, says)
	}
	for _, url := range []string{strings.TrimSuffix(reply.URL, "&code="), reply.URL + "AAAAAAAA"} {
		if status, cookie, says := enter(url); status != 401 || cookie != "" {
			t.Errorf("%s: %d, cookie %q, %s", url, status, cookie, says)
		}
	}
	code := codeOf(t, printed(t, master, `"code":"`))
	if status, cookie, _ := enter(reply.URL + "+" + strings.ToLower(code)); status != 200 ||
		cookie == "" {
		t.Errorf("with the code: %d, cookie %q", status, cookie)
	}
	if status, cookie, _ := enter(reply.URL + code); status != 401 || cookie != "" {
		t.Errorf("a second time: %d, cookie %q", status, cookie)
	}
}

// printed reads from a terminal up to the end of the line with this text.
func printed(t *testing.T, master io.Reader, text string) (all string) {
	t.Helper()
	buf := make([]byte, 4096)
	for {
		at := strings.Index(all, text)
		if at >= 0 && strings.Contains(all[at:], "\n") {
			return all
		}
		n, err := master.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		all += string(buf[:n])
	}
}
