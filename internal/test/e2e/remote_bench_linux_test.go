//go:build linux

package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/site"
)

// BenchmarkCommands compares a command line over HTTPS with the same request to the socket of memd,
// on connections that are open, and prints the ratio of their times.
func BenchmarkCommands(b *testing.B) {
	bin := buildMem(b)
	srv := filepath.Join(b.TempDir(), "srv")
	cert, key := makeCertificate(b)
	port := startServer(b, bin, srv, "--tls-cert", cert, "--tls-key", key)
	token, err := exec.Command(filepath.Join(bin, "mem"), "token", "add", "t1", "--agent", "ada",
		"--yes", "-q", "--root", srv).Output()
	if err != nil {
		b.Fatal(err)
	}
	at, err := site.ParseAddress("https://127.0.0.1:" + port + "/t1")
	if err != nil {
		b.Fatal(err)
	}
	pem, err := os.ReadFile(cert)
	if err != nil {
		b.Fatal(err)
	}
	client, err := remote.NewClient(at, remote.Login{Token: strings.TrimSpace(string(token)),
		CA: string(pem)}, "", time.Now)
	if err != nil {
		b.Fatal(err)
	}
	socket := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _,
		_ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(srv, "memd.sock"))
	}}}
	run := func(args ...string) {
		reply, err := client.Run(b.Context(), &wire.Request{Args: wire.Bytes(args), Root: at.URL()})
		if err != nil || reply.Exit != 0 {
			b.Fatalf("%q: %v %v", args, reply, err)
		}
	}
	ask := func(method, path, body string) {
		req, err := http.NewRequest(method, "http://memd/api/v1/memories"+path,
			strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		res, err := socket.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		if text, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
			b.Fatalf("%s %s: %s", method, path, text)
		}
	}
	for i := range 200 {
		run("set", fmt.Sprintf("/fact/%d", i), `{"text":"the build uses make"}`, "-s", "chat")
	}
	for _, c := range []struct {
		name          string
		over, through func()
	}{
		{"get", func() { run("get", "/fact/7") }, func() { ask("GET", "/fact/7?tenant_id=t1", "") }},
		{"search", func() { run("search", "build") },
			func() { ask("GET", "/search?q=build&tenant_id=t1", "") }},
		{"set", func() { run("set", "/x", `1`, "-s", "chat") },
			func() { ask("PUT", "/x?tenant_id=t1", `{"content":1,"source":"chat"}`) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var over, through time.Duration
			for b.Loop() {
				began := time.Now()
				c.over()
				middle := time.Now()
				c.through()
				over, through = over+middle.Sub(began), through+time.Since(middle)
			}
			b.ReportMetric(float64(over)/float64(through), "ratio")
			b.ReportMetric(float64(through.Microseconds())/float64(b.N), "socket-us")
		})
	}
}

// BenchmarkHookAtServer compares the hook in a project whose memory is at a server with that in one
// with files, each with 200 memories, and prints both times of a process and their ratio.
func BenchmarkHookAtServer(b *testing.B) {
	tm := newColleagues(b)
	here, there := tm.laptop("ada"), tm.laptop("ben")
	tm.run(there, "mem init --remote $URL --yes", 0, ".mem")
	const lines = `jq -nc 'range(200) | {key: "/fact/\(.)", source: "chat", ` +
		`content: {text: "fact \(.) of the build"}}' | mem set -`
	tm.run(here, lines, 0, "200")
	tm.run(there, lines, 0, "200")
	tm.run(there, "mem note x --scope user", 0, "u-1")
	for _, event := range []string{"SessionStart", "UserPromptSubmit"} {
		b.Run(event, func(b *testing.B) {
			var near, far time.Duration
			for i := 0; b.Loop(); i++ {
				line := hookLine(event, fmt.Sprint("c", i), "how does the build of fact 7 go?")
				began := time.Now()
				tm.output(there, line)
				middle := time.Now()
				tm.output(here, line)
				far, near = far+middle.Sub(began), near+time.Since(middle)
			}
			b.ReportMetric(float64(far)/float64(near), "ratio")
			b.ReportMetric(float64(far.Microseconds())/float64(b.N)/1000, "server-ms")
			b.ReportMetric(float64(near.Microseconds())/float64(b.N)/1000, "files-ms")
		})
	}
}
