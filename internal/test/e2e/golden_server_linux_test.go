//go:build linux

package e2e

// The console sessions on memories behind memd: what a script prints on files it prints over HTTP,
// with the token of a person.
//
//	# served: no (WHY)         leave the script out, besides those that PostgreSQL leaves out

import (
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// signed matches the name of the member in the sources that a server stores, and what depends on
// it; on files nobody has one. A source that was a text there is the same text.
var signed = []struct{ by, is string }{
	{`\{"name":("(?:[^"\\]|\\.)*"),"member":"Member"\}`, "$1"},
	{`\{\s*"name": ("(?:[^"\\]|\\.)*"),\s*"member": "Member"\s*\}`, "$1"},
	{`,\s*"member": ?"Member"`, ""},
	{`(?:, before the write)? by Member\b`, ""},
	{`\bsource\.name\b`, "source"},
	{`"sha256:[0-9a-f]{64}"`, `"SUM"`},
	{`(log_bytes":|total_size_bytes":|lines, )[0-9]+`, "${1}SIZE"},
}

// unsigned returns the output of a script without the name of the member.
func unsigned(out []byte) []byte {
	for _, s := range signed {
		out = regexp.MustCompile(s.by).ReplaceAll(out, []byte(s.is))
	}
	return out
}

// leastServed is how many scripts must run over HTTP.
var leastServed = testkit.Extent(8, 20, 40)

// storeServed is how mem names a memory behind a server.
var storeServed = regexp.MustCompile(`'?http://127\.[0-9.]+:[0-9]+/g[0-9]+_([a-z]+)'?`)

// unserved finds the verbs in a script that need the machine of the memory, or of its caller.
var unserved = regexp.MustCompile(`\bmem (--?\S+ )*(backup|completion|copy|doctor|hook|init|key|` +
	`mcp|migrate|move|off|on|page|project|query|serve|setup|space|sync|token|trust|where)\b|--out\b|--log-level|--purge|__complete`)

var agentNamed = regexp.MustCompile(`(?:MEM_AGENT=|--agent[ =])"?([a-z][a-z0-9-]*)`)

// agentsIn yields the agents that a script names.
func agentsIn(text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range agentNamed.FindAllSubmatch(text, -1) {
			if !yield(string(m[1])) {
				return
			}
		}
	}
}

func TestGoldenServed(t *testing.T) {
	bash := testkit.Program(t, "bash")
	bin := buildMem(t)
	root := filepath.Join(t.TempDir(), "srv")
	port := startServer(t, bin, root)
	var hosts atomic.Int32
	ran := 0
	sessions := slices.DeleteFunc(sessionsOnPostgres(t), func(one session) bool {
		return directive(one.text, "served") != "" || unserved.Match(one.text)
	})
	for i, one := range testkit.Sample(t, oneForEachVerb(t, bin, sessions), 4, 12) {
		agents := slices.Compact(slices.Sorted(agentsIn(one.text)))
		ran++
		t.Run(one.name(), func(t *testing.T) {
			t.Parallel()
			// A token is for one origin: each store has an address of its own.
			tokens := filepath.Join(t.TempDir(), "tokens")
			runElsewhere(t, bash, bin, one.path, one.text, elsewhere{name: "a server", at: storeServed,
				add: func(name string) string {
					n := hosts.Add(1)
					origin := fmt.Sprintf("http://127.1.%d.%d:%s", n/250, 1+n%250, port)
					tenant := fmt.Sprintf("g%d_%s", i, name)
					addToken(t, bin, root, tenant, origin, tokens, agents)
					return origin + "/" + tenant
				}, files: func(store string) string {
					return filepath.Join(root, "tenants", filepath.Base(store))
				}, plain: unsigned, env: func(map[string]string) []string {
					return []string{"MEM_TOKEN_FILE=" + tokens}
				}})
		})
	}
	if ran < leastServed {
		t.Errorf("%d scripts ran, want at least %d", ran, leastServed)
	}
}

// startServer starts a server of files on all addresses of this machine, and returns its port.
func startServer(t testing.TB, bin, root string, flags ...string) (port string) {
	t.Helper()
	cmd, port := launchServer(t, bin, root, flags...)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return port
}

// launchServer is startServer for a test that ends the server itself, or lets it be killed.
func launchServer(t testing.TB, bin, root string, flags ...string) (cmd *exec.Cmd, port string) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(filepath.Join(bin, "mem"), "serve", "--root", root,
		"--listen", "0.0.0.0:0")
	cmd.Args = append(cmd.Args, flags...)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended where the test has waited for it
		_ = cmd.Wait()
		log.Close()
	})
	listens := regexp.MustCompile(`tcp:\S*:([0-9]+)\]`)
	testkit.WaitFor(t, "an address in the log", func() bool {
		text, _ := os.ReadFile(log.Name())
		m := listens.FindSubmatch(text)
		if m != nil {
			port = string(m[1])
		}
		return m != nil
	})
	return cmd, port
}

// addToken makes a token of a person for a tenant, and adds it to a file for an origin.
func addToken(t *testing.T, bin, root, tenant, origin, file string,
	agents []string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "mem"), "token", "add", tenant, "--person", "--yes",
		"--quiet", "--root", root, "--member", "Member")
	for _, agent := range agents {
		cmd.Args = append(cmd.Args, "--agent", agent)
	}
	token, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%s %s", origin, token); err != nil {
		t.Fatal(err)
	}
}
