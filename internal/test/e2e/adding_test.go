package e2e

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CONTRIBUTING.md lists the files to touch for an addition. Each kind of addition is made here in a
// copy of the tree by that list, and nothing else: the tests that guard it pass then, and without
// one of the files they fail and name it.

// addition is one thing added to the tree.
type addition struct {
	heading string // of the list in CONTRIBUTING.md
	name    string // that stands for NAME in the list
	edits   []edit
	outputs []edit     // that the end-to-end tests write; building mem for them takes too long here
	written [][]string // the go test commands that write the generated files
	guarded [][]string // those that guard the addition
	named   []string   // what they print while only the first two edits are made; nil: not tried
}

// edit puts text into a file: after the first match of after, or as the whole of a new file.
type edit struct{ file, after, text string }

const sumVerb = `package tidy

import (
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
)

type sumOptions struct{}

func NewSumCmd(a *app.App) *cobra.Command {
	o := &sumOptions{}
	return &cobra.Command{
		Use: "sum", Short: "add two numbers", Long: "Print the sum of 2 and 2.",
		Example: "  mem sum --json",
		Args:    app.WantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *sumOptions) run(a *app.App, cmd *cobra.Command) error {
	return a.Answer(cmd, map[string]int{"sum": 4}, app.Line("4"))
}
`

const sumTool = `
// sum answers with the sum of 2 and 2.
func sum(context.Context, *call, *struct{}) (any, error) {
	return map[string]int{"sum": 4}, nil
}
`

const oddRule = `
func (f *Facts) checkOdd(*Ground) error {
	if cutNamespace("/odd", f.Key.String()) == "" {
		return nil
	}
	return &ReservedError{Key: f.Key, Why: "odd keys are for imports"}
}
`

const gaugeView = `// Package gauge keeps readings: numbers at a time, below /gauge/<ulid>. Each is one record of the
// log, so a crash leaves it whole or not at all.
package gauge

import (
	"context"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

var ids ulid.Maker

// Keep stores a reading.
func Keep(ctx context.Context, s *mem.Store, c mem.Caller, n int) (out mem.Outcome, err error) {
	op, err := s.Begin(c, policy.Gauge)
	if err != nil {
		return out, err
	}
	id, err := ids.New(op.Now().Time())
	if err != nil {
		return out, err
	}
	p, err := op.Check(ctx, mem.Write{Key: keypath.MustParse("/gauge/" + id),
		Content: strconv.AppendInt(nil, int64(n), 10),
		Source:  op.Source("user", "mem gauge", "reading", id)}, false)
	if err != nil {
		return out, err
	}
	written, err := op.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p.Drawn()) })
	for _, out = range written {
		break
	}
	return out, err
}
`

const gaugeVerb = `package records

import (
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/gauge"
	"github.com/spf13/cobra"
)

type gaugeOptions struct{}

func NewGaugeCmd(a *app.App) *cobra.Command {
	o := &gaugeOptions{}
	return &cobra.Command{
		Use: "gauge <number>", Short: "keep a reading", Long: "Keep a reading, and print its key.",
		Example: "  mem gauge 7",
		Args:    app.WantArgs(1, 1, "one number"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
}

func (o *gaugeOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	n, err := strconv.Atoi(arg)
	if err != nil {
		return mem.ErrInput
	}
	s, err := a.OpenOne(cmd)
	if err != nil {
		return err
	}
	out, err := gauge.Keep(cmd.Context(), s, a.Caller, n)
	return printStored(a, cmd, out, out.Key.String(), err)
}
`

// gaugeWritten is a test that only the verb for it writes the records, and no page has them.
const gaugeWritten = `package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestGauge(t *testing.T) {
	seedJSON(t)
	run := func(args ...string) (string, int) {
		var out bytes.Buffer
		code := Run(args, strings.NewReader(""), &out, &out, testBuild)
		return out.String(), code
	}
	key, code := run("gauge", "7", "-q")
	if code != 0 || !strings.HasPrefix(key, "/gauge/") {
		t.Fatal(code, key)
	}
	key = strings.TrimSpace(key)
	out, code := run("set", key, "8", "-s", "x")
	if code != 3 || !strings.Contains(out, "mem gauge") {
		t.Error(code, out)
	}
	for _, args := range [][]string{{"compact"}, {"get", key}, {"ls", "/gauge"}} {
		if out, code := run(args...); code != 0 {
			t.Error(args, code, out)
		}
	}
	if out, _ := run("read"); strings.Contains(out, key) {
		t.Error("it is on a page: ", out)
	}
	if out, code := run("fsck"); code != 0 {
		t.Error(out)
	}
}
`

var additions = []addition{
	{
		heading: "A record type", name: "gauge",
		edits: []edit{
			{"keypath/class.go", `	File  .*\n`, "\tGauge // /gauge/<ulid>: a reading\n"},
			{"keypath/class.go", `(?s)func bundleClass.*?; "/" \+ name \{\n`,
				"\tcase \"/gauge\":\n\t\tif isULID(rest) {\n\t\t\treturn Gauge\n\t\t}\n"},
			{"internal/rule/policy/namespace.go", `var namespaces = .*\n`,
				"\t{Class: keypath.Gauge, Prefixes: []string{\"/gauge\"}, Audience: Below,\n" +
					"\t\tTodo: func() advice.List {\n\t\t\treturn advice.Run(\"gauge\", \"N\").Then(\" keeps one\")\n\t\t}},\n"},
			{"internal/rule/policy/verbs.go", `	Propose   = Verb.*\n`,
				"\tGauge = Verb{\"gauge\", backend.Classes(1 << keypath.Gauge), adds | counts, \"\"}\n"},
			{"internal/rule/policy/verbs.go", `&Memories, &Propose,`, "\n\t&Gauge,"},
			{"internal/rule/policy/verbs.go", `formed = inSessions`, " | 1<<keypath.Gauge"},
			{"internal/view/NAME/NAME.go", "", gaugeView},
			{"internal/front/cli/records/NAME.go", "", gaugeVerb},
			{"internal/front/cli/verbs.go", `{"stat", .*\n`,
				"\t{\"gauge\", \"tidy\", records.NewGaugeCmd, 0, \"\"},\n"},
			{"internal/front/cli/json_test.go", `var jsonArgs = .*\n`, "\t\"gauge\": \"7\",\n"},
			{"testdata/golden/NAME.sh", "",
				"export MEM_ROOT=memory\nmem gauge 7 | sed s/01.*/ULID/; mem gauge x\n"},
		},
		outputs: []edit{{"testdata/golden/NAME.out", "", ""}, {"testdata/terminal/NAME.out", "", ""},
			{"internal/front/cli/NAME_test.go", "", gaugeWritten}},
		written: [][]string{{"./internal/rule/policy", "-update"},
			{"./internal/front/cli", "-run", "VerbsDocument", "-update"}},
		guarded: [][]string{
			{"./keypath", "./internal/rule/policy", "./internal/store/state", "."},
			{"./internal/front/cli", "-run", "EveryVerbIs|EveryVerbHas|OneFile|VerbsDocument|Gauge" +
				"|TestEveryVerbAnswersInJSON/^NAME$"},
		},
	},
	{
		heading: "A rule that refuses writes", name: "odd",
		edits: []edit{
			{"internal/rule/policy/admit.go", `(?s)var admission = .*?checkLayer, 0},\n`,
				"\t{(*Facts).checkOdd, Given},\n"},
			{"internal/rule/policy/admit.go", `(?s)\z`, oddRule},
			{"internal/rule/policy/admit_test.go", `var admissionCases = .*\n`,
				"\t{person, Set, 0, \"/odd/a\", `1`, `\"x\"`, ErrReserved},\n" +
					"\t{person, Set, Given, \"/odd/a\", `1`, `\"x\"`, nil},\n"},
		},
		guarded: [][]string{{"./internal/rule/policy"}},
		named:   []string{"admit_test.go"},
	},
	{
		heading: "A setting", name: "sum.limit",
		edits: []edit{{"internal/rule/settings/config.go", `type Config struct {\n`,
			"\tSumLimit int // greatest sum\n"},
			{"internal/rule/settings/members.go", `(?s){Name: "memory\.max_total".*?},\n`,
				"\t{Name: \"sum.limit\", By: Anybody, Want: Whole(0), Default: \"4\",\n" +
					"\t\tDoc: \"greatest sum\",\n" +
					"\t\tof: func(c *Config) any { return &c.SumLimit }},\n"}},
		written: [][]string{{"./internal/rule/settings", "-update"}},
		guarded: [][]string{{"./internal/rule/settings"}},
	},
	{
		heading: "A verb", name: "sum",
		edits: []edit{
			{"internal/front/cli/tidy/NAME.go", "", sumVerb},
			{"internal/front/cli/verbs.go", `{"stat", .*\n`,
				"\t{\"sum\", \"tidy\", tidy.NewSumCmd, 0, \"\"},\n"},
			{"internal/front/cli/json_test.go", `var jsonArgs = .*\n`, "\t\"sum\": \"\",\n"},
			{"testdata/golden/NAME.sh", "",
				"# Sums need no memory.\nexport MEM_ROOT=memory\nmem sum; mem sum --json\n"},
		},
		outputs: []edit{{"testdata/golden/NAME.out", "", ""}, {"testdata/terminal/NAME.out", "", ""}},
		written: [][]string{{"./internal/front/cli", "-run", "VerbsDocument", "-update"}},
		guarded: [][]string{
			{"./internal/front/cli", "-run", "EveryVerbIs|EveryVerbHas|OneFile|VerbsDocument" +
				"|TestEveryVerbAnswersInJSON/^NAME$"},
		},
		named: []string{"json_test.go", "docs/verbs.md", "testdata/golden/sum.sh",
			"testdata/terminal/sum.out"},
	},
	{
		heading: "An MCP tool", name: "mem_sum",
		edits: []edit{
			{"internal/front/mcp/tools.go", `"mem_forget": .*\n`,
				"\t\"mem_sum\": {\"stat\", \"core\", true, with(sum)},\n"},
			{"internal/front/mcp/tools.go", `(?s)\z`, sumTool},
			{"internal/front/mcp/tools.json", ` "core": \[\n`, `  {"name": "mem_sum",
   "title": "Add two numbers",
   "description": "The sum of two and two.",
   "inputSchema": {"additionalProperties":false,"properties":{},"type":"object"},
   "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}},
   "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, ` +
				`"openWorldHint": false}},
`},
		},
		guarded: [][]string{{"./internal/front/mcp", "-run", "Tools|Sets"}},
	},
	{
		heading: "A client of mem setup", name: "sum",
		edits: []edit{{"internal/front/setup/clients_table.go",
			`(?m)^var clients = .*\n`, "\t{\n\t\tName: \"sum\", Program: \"sum\",\n" +
				"\t\tHome: Dir{Default: \".sum\"},\n" +
				"\t\tServer: Server{Form: jsonServers, Member: \"mcpServers\", Always: true, " +
				"Desktop: true,\n\t\t\tUser: \"mcp.json\"},\n\t},\n"}},
		guarded: [][]string{{"./internal/front/setup"}},
	},
}

func TestAdding(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	tree := copyOfTree(t)
	// The highest packages first: those above a changed one are compiled again.
	for _, a := range slices.Backward(additions) {
		t.Run(a.name, func(t *testing.T) { a.try(t, tree, string(text)) })
	}
}

// try makes an addition in a tree, by its list in a text.
func (a addition) try(t *testing.T, tree, text string) {
	var touched []string
	for _, e := range a.edits {
		touched = append(touched, e.file)
	}
	if listed := filesFor(text, a.heading); !slices.Equal(listed, slices.Compact(touched)) {
		t.Fatalf("CONTRIBUTING.md lists %q for %q, not %q", listed, a.heading, touched)
	}
	edits := a.edits
	if a.named != nil {
		a.make(t, tree, edits[:2])
		edits = edits[2:]
		out, passed := a.run(tree, a.guarded)
		for _, file := range a.named {
			if passed || !strings.Contains(out, file) {
				t.Errorf("no failing test names %s:\n%s", file, out)
			}
		}
	}
	a.make(t, tree, slices.Concat(edits, a.outputs))
	if out, passed := a.run(tree, slices.Concat(a.written, a.guarded)); !passed {
		t.Error(out)
	}
}

// filesFor returns the files that a list of CONTRIBUTING.md names: the first code of each numbered
// line below a heading.
func filesFor(text, heading string) (files []string) {
	_, section, _ := strings.Cut(text, "\n### "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n##")
	for _, m := range regexp.MustCompile("(?m)^[0-9]+\\. `([^`]+)`").FindAllStringSubmatch(section, -1) {
		files = append(files, m[1])
	}
	return files
}

// copyOfTree returns the directory of a copy of the sources, without git and built programs.
func copyOfTree(t *testing.T) string {
	t.Helper()
	from, to := ".", t.TempDir()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == ".git" || path == "bin"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func (a addition) make(t *testing.T, tree string, edits []edit) {
	t.Helper()
	for _, e := range edits {
		path := filepath.Join(tree, strings.ReplaceAll(e.file, "NAME", a.name))
		text := []byte(e.text)
		if e.after != "" {
			old, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := regexp.MustCompile(e.after).FindIndex(old)
			if at == nil {
				t.Fatalf("%s has no %s", e.file, e.after)
			}
			text = slices.Concat(old[:at[1]], text, old[at[1]:])
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs go test commands in a tree, and returns their output and whether all passed.
func (a addition) run(tree string, commands [][]string) (out string, passed bool) {
	passed = true
	for _, args := range commands {
		// No result is kept: go would look again at half a million paths of the tests of setup.
		cmd := exec.Command("go", "test", "-vet=off", "-count=1")
		for _, arg := range args {
			cmd.Args = append(cmd.Args, strings.ReplaceAll(arg, "NAME", a.name))
		}
		cmd.Dir = tree
		// Trimmed packages of any directory are the same, so the build cache has most of them.
		cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false")
		text, err := cmd.CombinedOutput()
		out, passed = out+string(text), passed && err == nil
	}
	return out, passed
}
