package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// testBuild is the program that the tests run.
var testBuild = app.Build{Program: "mem", Version: "0.1.0-dev", Commit: "unknown"}

// The exit codes, as what follows names them.
var (
	exitDone     = mem.KindDone.ExitCode()
	exitNo       = mem.KindNo.ExitCode()
	exitInput    = mem.KindInput.ExitCode()
	exitRefused  = mem.KindRefused.ExitCode()
	exitConflict = mem.KindConflict.ExitCode()
	exitLocked   = mem.KindLocked.ExitCode()
	exitIO       = mem.KindIO.ExitCode()
)

// Every verb has one shape: a short line in the imperative, a long text, an example, documented
// flags, <required> and [<optional>] arguments.
func TestEveryVerbIsDocumented(t *testing.T) {
	root := command(&app.App{Build: testBuild, Getenv: func(string) string { return "" }}, nil)
	usage := regexp.MustCompile(`^[a-z]+(-[a-z]+)*( (<[a-z]+>(\.\.\.)?|\[<[a-z]+>(\.\.\.|\|-\|@file|\|-)?\]))*$`)
	n := 0
	for _, cmd := range root.Commands() {
		ofCobra := cmd.Name() == "help" || cmd.Name() == "completion"
		if cmd.IsAdditionalHelpTopicCommand() || ofCobra {
			continue
		}
		n++
		if !usage.MatchString(cmd.Use) {
			t.Errorf("%s: usage line %q", cmd.Name(), cmd.Use)
		}
		if s := cmd.Short; s == "" || s[0] < 'a' || s[0] > 'z' || strings.HasSuffix(s, ".") {
			t.Errorf("%s: short text %q", cmd.Name(), s)
		}
		if cmd.Long == "" || cmd.Example == "" || cmd.Args == nil || cmd.RunE == nil {
			t.Errorf("%s: long text, example, argument check and RunE are wanted", cmd.Name())
		}
		eachFlag(cmd, func(f *pflag.Flag) {
			untidy := strings.HasSuffix(f.Usage, ".") || f.Usage != strings.TrimSpace(f.Usage)
			if f.Usage == "" || untidy {
				t.Errorf("%s --%s: usage %q", cmd.Name(), f.Name, f.Usage)
			}
		})
	}
	want := len(daemonVerbs)
	for _, v := range built() {
		want++
		if v.group == "" && v.name != "rm" {
			t.Errorf("%s stands on no page of help", v.name)
		}
	}
	if n != want {
		t.Errorf("%d verbs in the tree, %d in the tables", n, want)
	}
}

// built returns the verbs that have a command, and not those that stand for one.
func built() []verb {
	return slices.DeleteFunc(slices.Clone(verbs), func(v verb) bool { return v.build == nil })
}

// Every verb has a golden session, and a golden file of a terminal.
func TestEveryVerbHasItsGoldens(t *testing.T) {
	const testdata = "../../../testdata/"
	sessions := ""
	list, err := filepath.Glob(testdata + "golden/*.sh")
	if err != nil || len(list) < 100 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sessions += string(text)
	}
	for _, v := range built() {
		typed := regexp.MustCompile(`\b(mem|run)( --?[a-z-]+([ =]\S+)?)* ` + v.name + `(?:[^\w-]|$)`)
		if !typed.MatchString(sessions) {
			t.Errorf("no session shows mem %s; testdata/golden/%s.sh should", v.name, v.name)
		}
		screen := testdata + "terminal/" + v.name + ".out"
		if _, err := os.Stat(screen); err != nil && v.name != "hook" {
			t.Errorf("testdata/terminal/%s.out is absent; go test ./internal/test/e2e "+
				"-run 'TestTerminal$' -update writes it", v.name)
		}
	}
}

// An older name is the verb that took it in, with its flags.
func TestOlderNames(t *testing.T) {
	n := 0
	for _, v := range verbs {
		if v.as == "" {
			continue
		}
		n++
		a := &app.App{Build: testBuild, Getenv: func(string) string { return "" }}
		root := command(a, []string{"--root", v.name, v.name, "--json", v.name})
		words := strings.Fields(v.as)
		want := slices.Concat([]string{"--root", v.name}, words, []string{"--json", v.name})
		if got := root.Commands(); len(got) != 1 || got[0].Name() != words[0] ||
			!slices.Equal(a.Args, want) {
			t.Errorf("%s: built %v for %q", v.name, got, a.Args)
		}
	}
	if n < 4 {
		t.Errorf("%d older names", n)
	}
}

func eachFlag(cmd *cobra.Command, fn func(*pflag.Flag)) {
	cmd.LocalFlags().VisitAll(fn)
	cmd.InheritedFlags().VisitAll(fn)
}

// A verb that is built alone, as on the hot path, is the one of the whole tree.
func TestAVerbAloneIsTheSame(t *testing.T) {
	a := &app.App{Build: testBuild, Getenv: func(string) string { return "" }}
	for _, v := range built() {
		root := command(a, []string{v.name})
		if got := root.Commands(); len(got) != 1 || got[0].Name() != v.name {
			t.Errorf("%s: built %v", v.name, got)
		}
	}
}

// One file for each verb, named after it, that holds its options, its command and its run.
func TestOneFileForEachVerb(t *testing.T) {
	for _, v := range built() {
		files, _ := filepath.Glob("*/" + v.name + ".go")
		if len(files) != 1 {
			t.Errorf("%s.go is in %d packages", v.name, len(files))
			continue
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		title := ""
		for word := range strings.SplitSeq(v.name, "-") {
			title += strings.ToUpper(word[:1]) + word[1:]
		}
		name := v.name[:1] + title[1:]
		for _, want := range []string{
			"type " + name + "Options struct", "func New" + title + "Cmd(",
			"func (o *" + name + "Options) run(",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s.go lacks %q", v.name, want)
			}
		}
		if n := strings.Count(string(text), "\n"); n > 250 {
			t.Errorf("%s.go has %d lines", v.name, n)
		}
	}
}

// contract is what --json prints for each verb: member names, which may be added to and never
// renamed.
var contract = map[string]string{
	"set":     "key ts valid path",
	"get":     "key ts valid source content checksum",
	"rm":      "deleted missing",
	"read":    "count memories tokens limit left_out",
	"ls":      "count memories",
	"history": "count memories",
	"log":     "count memories", // mem history without a key
	"diff":    "key from to",
	"touch":   "touched unchanged missing",
	"undo":    "key ts valid path changed restored",
	"mv":      "from key ts valid path",
	"merge":   "key ts valid path merged",
	"stat": "root live expired untrusted log_lines log_bytes state_bytes archives archive_bytes " +
		"oldest newest damaged namespaces authors",
	"compact":  "done lines bytes keys expired repaired damaged",
	"fsck":     "found left adopted records",
	"note":     "ok id",
	"notes":    "count memories",
	"journal":  "success memory_type content expires_around",
	"core":     "success memory_type content note",
	"memories": "count memories",
	"event":    "event_id chunk_ids created_at",
	"task":     "task_id",
	"handoff":  "key",
	"bundle":   "acb_id budget_tokens token_used_est sections omissions provenance",
	"agent":    "count agents",
	"forget":   "ok",
	"prompt":   "prompt tokens",
	"audit":    "scanned found",
	"config":   "settings",
	"copy":     "versions artifacts config prefixes",
	"init":     "root made",
	"setup":    "clients",
	"doctor":   "root findings",
	"version":  "version commit format go os",
}

func TestJSONContract(t *testing.T) {
	root := filepath.Join(t.TempDir(), "memory")
	t.Setenv("MEM_ROOT", root)
	t.Setenv("MEM_NOW", "2026-02-22T10:00:00Z")
	t.Setenv("MEM_HOOK_DEADLINE", "1m")
	t.Setenv("HOME", t.TempDir())
	for _, args := range [][]string{
		{"init"}, {"set", "/a", `{"text":"x"}`, "-s", "t"}, {"set", "/b", "2", "-s", "t"},
		{"get", "/a"}, {"read"}, {"ls"}, {"history", "/a"}, {"rm", "/b"}, {"log"},
		{"touch", "/a", "--tag", "x"}, {"diff", "/a"}, {"undo", "/a"}, {"mv", "/a", "/c"},
		{"merge", "/c", "--into", "/a"},
		{"note", "x"}, {"notes"}, {"forget", "m-1"}, {"prompt"}, {"stat"}, {"compact"}, {"fsck"},
		{"audit"}, {"audit", "--duplicates"}, {"config", "list"},
		{"config", "get", "rotate.lines"}, {"setup"}, {"doctor"}, {"version"},
		{"copy", root, root + "-copy"},
		{"journal", "x", "--agent", "a"}, {"core", "x", "--agent", "a"},
		{"memories", "--agent", "a"}, {"agent", "list"},
		{"event", "--session", "s1", "--text", "x"}, {"task", "x"},
		{"handoff", "x", "--session", "s1", "--to", "a"},
		{"bundle", "--session", "s1", "--agent", "a"},
	} {
		var out, stderr bytes.Buffer
		code := Run(append(args, "--json"), strings.NewReader(""), &out, &stderr, testBuild)
		if code != exitDone && args[0] != "doctor" { // which may dislike this disk
			t.Fatalf("%v: exit %d: %s", args, code, stderr.String())
		}
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatalf("%v: %v in %s", args, err, out.String())
		}
		want := strings.Fields(contract[args[0]])
		for _, name := range want {
			if _, ok := doc[name]; !ok {
				t.Errorf("%v: no member %q", args, name)
			}
			delete(doc, name)
		}
		for name := range doc {
			t.Errorf("%v: member %q is not in the contract", args, name)
		}
	}
}

// A failure under --json is one JSON object on stderr, and stdout stays empty.
func TestJSONErrors(t *testing.T) {
	t.Setenv("MEM_ROOT", filepath.Join(t.TempDir(), "memory"))
	for _, c := range []struct {
		args []string
		exit int
		code string
	}{
		{[]string{"get", "/none"}, exitNo, "no"},
		{[]string{"get", "none"}, exitNo, "no"},
		{[]string{"get", "../none"}, exitInput, "input"},
		{[]string{"set", "/a", "{"}, exitInput, "input"},
		{[]string{"set", "/kb/a", "1", "-s", "x"}, exitRefused, "refused"},
		{[]string{"read", "--nope"}, exitInput, "input"},
	} {
		var out, stderr bytes.Buffer
		args := append(c.args, "--json")
		got := Run(args, strings.NewReader(""), &out, &stderr, testBuild)
		if got != c.exit {
			t.Errorf("%v: exit %d, want %d", c.args, got, c.exit)
		}
		var doc struct {
			Error struct{ Code, Message, Hint string }
		}
		err := json.Unmarshal(stderr.Bytes(), &doc)
		if err != nil || doc.Error.Code != c.code || doc.Error.Message == "" {
			t.Errorf("%v: stderr %s", c.args, stderr.String())
		}
		if out.Len() > 0 {
			t.Errorf("%v: stdout %s", c.args, out.String())
		}
	}
}

func TestFirstWordPassesOverGlobalFlagsAndTheirValues(t *testing.T) {
	global := command(&app.App{Build: testBuild}, nil).PersistentFlags()
	for args, want := range map[string]string{
		"set /a 1":                      "set",
		"--root set get /a":             "get",
		"--root=x --json -q read":       "read",
		"-q --lock-timeout 1s set --if": "set",
		"--nonsense ls":                 "ls",
		"--root":                        "",
		"-- rm":                         "rm",
		"":                              "",
	} {
		if got := firstWord(global, strings.Fields(args)); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}
