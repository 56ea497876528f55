package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/testkit"
)

var fixDocs = flag.Bool("fixdocs", false,
	"rewrite the console blocks and the exit code table")

// notRun are the blocks of commands that no test types, by document: how many, and the reason.
var notRun = map[string]struct {
	blocks int
	reason string
}{
	"README.md":              {1, "make test runs this test"},
	"docs/install.md":        {2, "they install into the system"},
	"docs/mcp.md":            {3, "they need the clients' own programs"},
	"docs/page.md":           {1, "opens a browser"},
	"docs/postgres.md":       {1, "a statement of SQL"},
	"docs/postgres-views.md": {1, "a screen of psql"},
}

// mostNotRun is the bound of their sum: a new block of commands is a console block.
const mostNotRun = 9

// The console blocks of a document are one session of one shell, as a reader types them from top to
// bottom: in an empty home, on the day of the test. Each command prints what stands there.
func TestDocuments(t *testing.T) {
	bash, bin := testkit.Program(t, "bash"), buildMem(t)
	for _, tool := range []string{"jq", "git", "curl", "sha256sum"} {
		testkit.Program(t, tool)
	}
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, name := range append(names, "README.md", "INSTALL_FOR_AGENTS.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		doc := parseDocument(name, string(text))
		if doc.notRun != notRun[name].blocks {
			t.Errorf("%s: %d blocks of commands are not run, %d are allowed (%s)", name,
				doc.notRun, notRun[name].blocks, notRun[name].reason)
		}
		if sum += doc.notRun; len(doc.commands) > 0 {
			t.Run(name, func(t *testing.T) { t.Parallel(); doc.check(t, bash, bin) })
		}
	}
	if sum > mostNotRun {
		t.Errorf("%d blocks of commands are not run, at most %d may be", sum, mostNotRun)
	}
}

// The check of the steps for an agent finds a fault: a torn line of the log, which doctor only warns
// of.
func TestDocumentedCheckFails(t *testing.T) {
	text, err := os.ReadFile("INSTALL_FOR_AGENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := parseDocument("INSTALL_FOR_AGENTS.md", string(text))
	at := slices.IndexFunc(doc.commands, func(c command) bool {
		return strings.HasPrefix(c.text, "mem doctor")
	})
	if at < 0 {
		t.Fatal("no step checks the installation")
	}
	check := doc.commands[at]
	doc.commands = append(doc.commands[:at:at],
		command{text: `printf '{"torn' >> ~/.local/share/mem-projects/shop-*/log.jsonl` + "\n"},
		check, command{text: "mem fsck --repair\n"})
	outputs := doc.run(t, testkit.Program(t, "bash"), buildMem(t))
	got := outputs[at+1]
	if !strings.Contains(got, "torn") || strings.HasSuffix(got, check.output) {
		t.Errorf("$ %sprints of a torn log\n%s", check.text, got)
	}
}

// document is a text with its console blocks: the output of a command stands below it.
type document struct {
	name     string
	lines    []string // all but the outputs
	commands []command
	notRun   int
}

type command struct {
	line   int // in lines
	text   string
	output string
}

var fence = regexp.MustCompile("^```([a-z]*)\n")

func parseDocument(name, text string) *document {
	d := &document{name: name}
	block, inside := "", false
	for line := range strings.Lines(text) {
		if m := fence.FindStringSubmatch(line); m != nil {
			if inside = !inside; inside {
				block = m[1]
			}
			if inside && block != "console" && block != "json" {
				d.notRun++
			}
		} else if inside && block == "console" {
			if typed, ok := strings.CutPrefix(line, "$ "); ok {
				d.commands = append(d.commands, command{line: len(d.lines), text: typed})
			} else {
				d.commands[len(d.commands)-1].output += line
				continue
			}
		}
		d.lines = append(d.lines, line)
	}
	return d
}

// check runs the commands, and compares. With -fixdocs it rewrites the outputs of a document in
// which one differs.
func (d *document) check(t *testing.T, bash, bin string) {
	shown, got := normalizer{}, normalizer{}
	text, differ := slices.Clone(d.lines), false
	for i, output := range d.run(t, bash, bin) {
		c := d.commands[i]
		text[c.line] += output
		if shown.normalize(c.output) == got.normalize(output) {
			continue
		}
		if differ = true; !*fixDocs {
			t.Errorf("%s: $ %sshows\n%sand prints\n%s", d.name, c.text, c.output, output)
		}
	}
	if differ && *fixDocs {
		if err := os.WriteFile(d.name, []byte(strings.Join(text, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// mark ends the output of a command, and leaves $? as it was. A server in the background is awaited
// as a reader does it, who looks at its socket.
const mark = `end() {
	local code=$?
	printf '\nend of command: %d\n' $code
	return $code
}
served() {
	local code=$?
	while kill -0 $! && [ -z "$(find ~ -name memd.sock)" ]; do :; done
	return $code
}
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
`

var ended = regexp.MustCompile(`\nend of command: ([0-9]+)\n`)

// run returns the output of each command.
func (d *document) run(t *testing.T, bash, bin string) []string {
	script := mark
	for _, c := range d.commands {
		script += c.text
		if strings.HasSuffix(c.text, "&\n") {
			script += "served\n"
		}
		script += "end\n"
	}
	hosts := map[string]string{}
	for i, name := range exampleHosts {
		if strings.Contains(script, name) {
			hosts[name] = databaseHost(t, i)
			script = strings.ReplaceAll(script, name, hosts[name])
		}
	}
	home := homeFor(t, []byte(script))
	typed := filepath.Join(t.TempDir(), "typed.sh")
	if err := os.WriteFile(typed, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, typed)
	cmd.Dir, cmd.Env = home, slices.DeleteFunc(sessionEnv(bin, home, ""), func(v string) bool {
		return strings.HasPrefix(v, "MEM_NOW=") || strings.HasPrefix(v, "TMPDIR=")
	})
	all, _ := cmd.CombinedOutput() // the last command may fail, as the document shows
	printed := strings.ReplaceAll(string(all), home, "/home/you")
	if name, err := os.Hostname(); err == nil {
		printed = strings.ReplaceAll(printed, "the copy on "+name+",", "the copy on laptop,")
	}
	for name, host := range hosts {
		printed = strings.ReplaceAll(printed, host, name)
	}
	codes := ended.FindAllStringSubmatch(printed, -1)
	outputs := ended.Split(printed, -1)
	if len(codes) != len(d.commands) {
		t.Fatalf("%s: %d of %d commands were run:\n%s", d.name, len(codes), len(d.commands), all)
	}
	for i, code := range codes {
		if code[1] != "0" && outputs[i] == "" {
			t.Errorf("%s: $ %sfails with %s, and no line shows it", d.name, d.commands[i].text,
				code[1])
		}
	}
	fsckAll(t, bin, home)
	return outputs[:len(codes)]
}

// exampleHosts are the database servers of the documents: the first has an empty database mem.
var exampleHosts = []string{"db.example", "new.example"}

// databaseHost starts a server at an address of this test's own, since another server may have the
// port on localhost. Its superuser needs no password; every other role does.
func databaseHost(t *testing.T, n int) string {
	t.Helper()
	for _, program := range []string{"createdb", "dropdb", "pg_dump", "pg_dumpall", "psql"} {
		testkit.Program(t, program)
	}
	host := fmt.Sprintf("127.%d.%d.%d", 77+n, os.Getpid()/250%250, 1+os.Getpid()%250)
	server := pgtest.Own(t, "listen_addresses="+host)
	rules := "local all all trust\nhost all postgres all trust\nhost all all all scram-sha-256\n"
	if err := os.WriteFile(filepath.Join(server.Dir, "data", "pg_hba.conf"), []byte(rules),
		0o600); err != nil {
		t.Fatal(err)
	}
	server.SQL(t, "postgres", "SELECT pg_reload_conf()")
	if n == 0 {
		server.SQL(t, "postgres", "CREATE DATABASE mem TEMPLATE template0")
	}
	return host
}

// normalizer replaces what differs from day to day and from run to run. Ids and hashes get numbers
// in the order in which they appear: two that are equal in the document are equal in the output.
type normalizer map[string]string

var (
	randomIDs = regexp.MustCompile(`\b((evt|dec|task|art|chk|mem|tok)_)?[0-9A-Z]{26}([0-9]{3})?\b|` +
		`\b[0-9a-f]{64}\b|\bmem_[0-9A-Za-z_-]{43}\b|\bmem_[a-z]+_[0-9a-f]{6}\b|` +
		`\b[0-9a-f]{12}\b|(-|\bidentity )[0-9a-f]{8}\b`)
	days = regexp.MustCompile(`(\b|_)20[0-9]{2}-?[0-9]{2}-?[0-9]{2}(T[0-9:.]+Z)?|` +
		`\b[0-9]{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b`)
	seconds   = regexp.MustCompile(`(?m)(\t|^|, )[0-9]+s(\t|\)|$)`)
	fractions = regexp.MustCompile(`(\.[0-9]{4})[0-9]{4,}\b`)
	tokens    = regexp.MustCompile(`\b[0-9]+( tokens|\t/note/)`)
	lettered  = regexp.MustCompile(`[A-Z][a-z]+|[0-9]+`)
)

func (n normalizer) normalize(output string) string {
	output = string(maskLetters([]byte(output)))
	output = tokens.ReplaceAllString(output, "N$1") // letters make one more or less
	output = randomIDs.ReplaceAllStringFunc(output, func(id string) string {
		if n[id] == "" {
			n[id] = fmt.Sprintf("<%d of %d letters>", len(n), len(id))
		}
		return n[id]
	})
	output = days.ReplaceAllStringFunc(output, func(day string) string {
		return lettered.ReplaceAllString(day, "0")
	})
	output = fractions.ReplaceAllString(output, "$1")
	return seconds.ReplaceAllString(output, "${1}0s$2")
}

// The exit code table is written once, where the kinds of errors are.
func TestDocumentExitCodes(t *testing.T) {
	text, err := os.ReadFile("docs/store.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| code | name | meaning |\n|---|---|---|\n"
	for _, k := range mem.Kinds() {
		if k.Meaning != "" {
			table += fmt.Sprintf("| %d | %s | %s |\n", k.Exit, k.Kind, k.Meaning)
		}
	}
	before, rest, ok := strings.Cut(string(text), "## Exit codes\n\n")
	end := strings.Index(rest, "\n\n")
	if !ok || end < 0 {
		t.Fatal("no exit code table")
	}
	want := before + "## Exit codes\n\n" + strings.TrimSuffix(table, "\n") + rest[end:]
	switch {
	case want == string(text):
	case !*fixDocs:
		t.Error("the exit code table of docs/store.md is stale: -fixdocs rewrites it")
	default:
		if err := os.WriteFile("docs/store.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
