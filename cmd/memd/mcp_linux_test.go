package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// speaker is a client of mem mcp, by lines.
type speaker struct {
	t    *testing.T
	root string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// mem runs mem on the same memory.
func (s *speaker) mem(args ...string) ran {
	s.t.Helper()
	return run(s.t, exec.Command(filepath.Join(programs(s.t), "mem"),
		append(args, "--root", s.root)...))
}

func startMCP(t *testing.T, root string) *speaker {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs(t), "mem"), "mcp", "--root", root)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "MEM_ROOT=", "MEM_AGENT=")
	s := &speaker{t: t, root: root, cmd: cmd}
	var err error
	if s.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":`+
		`"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if line, err := s.out.ReadString('\n'); err != nil || !strings.Contains(line, "serverInfo") {
		t.Fatalf("%q, %v", line, err)
	}
	return s
}

// note sends a note.
func (s *speaker) note(id int, text string) {
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mem_note",`+
		`"arguments":{"text":%q}}}`+"\n", id, text)
}

// mem mcp is killed in the middle of writes: what was acknowledged is there, what is there is
// whole, and nothing is wrong with the store.
func TestKillOfMCP(t *testing.T) {
	const rounds, notes = 6, 400
	root := filepath.Join(newRoot(t), "memory")
	acked := 0
	var last *speaker
	for round := range rounds {
		s := startMCP(t, root)
		go func() {
			for i := range notes {
				s.note(i+1, fmt.Sprintf("round %d note %d", round, i))
			}
		}()
		time.AfterFunc(time.Duration(5+rand.IntN(60))*time.Millisecond, func() {
			_ = s.cmd.Process.Kill()
		})
		for {
			line, err := s.out.ReadString('\n')
			if err != nil {
				break // the last one may be half a line
			}
			if strings.Contains(line, `\"ok\":true`) {
				acked++
			}
		}
		_ = s.cmd.Wait()
		// The next write heals what the kill left.
		if got := s.mem("note", "healed"); got.code != 0 {
			t.Fatalf("%+v", got)
		}
		if got := s.mem("fsck"); got.code != 0 {
			t.Errorf("%+v", got)
		}
		last = s
	}
	got := last.mem("query", "--history", `select((.content.text // "")|startswith("round"))|.key`)
	if n := strings.Count(got.out, "\n"); got.code != 0 || n < acked || acked == 0 {
		t.Errorf("%d acknowledged, %d stored, %+v", acked, n, got.stderr)
	}
	t.Logf("%d acknowledged in %d rounds", acked, rounds)
}

// withToken adds a token to each request.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}

// A client of the SDK works over HTTP in both revisions, each tenant with a memory of its own.
func TestMCPOverHTTP(t *testing.T) {
	root, address := newRoot(t), freePort(t)
	startDaemon(t, root, "--listen", address)
	for n, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		tenant := fmt.Sprintf("t%d", n)
		secret := token(t, root, tenant, "ada")
		client := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil)
		session, err := client.Connect(context.Background(), &sdk.StreamableClientTransport{
			Endpoint:             "http://" + address + "/mcp",
			HTTPClient:           &http.Client{Transport: withToken(secret)},
			DisableStandaloneSSE: true,
		}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		for _, c := range [][3]string{
			{"mem_note", `{"text":"for ` + tenant + `"}`, `"id":"m-1"`},
			{"mem_search", `{}`, `"count":1`}, {"save_to_core", `{"content":"x"}`, `"success":true`},
			{"mem_get", `{"key":"m-1"}`, `"agent":"ada"`},
		} {
			got, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: c[0],
				Arguments: json.RawMessage(c[1])})
			if err != nil || !strings.Contains(got.Content[0].(*sdk.TextContent).Text, c[2]) {
				t.Errorf("%s %s: %+v, %v", version, c[0], got, err)
			}
		}
		session.Close()
	}
}
