package e2e

// Every way to write, tried on every kind of rule of the user, by every kind of caller. A verb, a
// tool or a route that the tables lack fails the test.

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/testkit"
)

// rule is a rule of the user, one of each kind.
type rule struct {
	kind string
	key  string
	id   string // by which verbs name it, "": the key
	text string // of no other rule, nor near one
}

const sameKey = "same key in the other layer"

// rules are made by [makeRules], in this order.
var rules = []rule{
	{"identity", "/agent/ada/identity", "", "Ada reviews parsers"},
	{"rule of the user", "/rules/user/style", "", "Indent with tabs"},
	{"rule of the org", "/rules/org/license", "", "Ship under Apache"},
	{"rule of the project", "/rules/project/build", "", "Compile using make"},
	{"preference", "/user/diet", "", "No cilantro anywhere"},
	{"type rule", "/project/language", "", "Answer always in French"},
	{"file", "/memories/desk", "", "Standing desk on Mondays"},
	{"approved claim", "/user/editor", "", "Vim beats nano"},
	{sameKey, "/user/clock", "", "Times are UTC"},
	{"tagged note", "/note/workspace/m-1", "m-1", "Never deploy Fridays"},
	{"pinned note", "/note/workspace/m-2", "m-2", "Water the ficus"},
	{"pinned note of an agent", "/note/workspace/m-3", "m-3", "Backups run nightly"},
}

func (r rule) name() string {
	if r.id != "" {
		return r.id
	}
	return r.key
}

// ofUser reports whether the user's layer has the rule.
func (r rule) ofUser() bool {
	return !strings.HasPrefix(r.key, "/rules/project/") && (strings.HasPrefix(r.key, "/user/") ||
		strings.HasPrefix(r.key, "/rules/") || strings.HasPrefix(r.key, "/agent/"))
}

// beside returns where the facts are that go with a rule, in the same layer.
func (r rule) beside(n int) string {
	if r.ofUser() {
		return fmt.Sprintf("/user/fact/%d", n)
	}
	return fmt.Sprintf("/fact/%d", n)
}

// peer returns a rule in the same layer.
func (r rule) peer() string {
	if r.ofUser() {
		return "/user/peer"
	}
	return "/project/peer"
}

// ruleCaller is a program, or a person, that calls mem.
type ruleCaller struct {
	name string
	env  []string
}

var person = ruleCaller{name: "person"}

var clients = []ruleCaller{
	{"client", []string{"CLAUDECODE=1"}},
	{"agent", []string{"MEM_AGENT=bot"}},
	{"other-agent", []string{"AI_AGENT=goose"}},
}

const (
	firstNow  = "2026-02-22T09:00:00Z" // of the first version of each rule
	secondNow = "2026-02-22T09:30:00Z" // of the second one
	triedNow  = "2026-02-22T10:00:00Z" // of what is tried
)

// ruleHome is a home with all rules, in one root or in two layers.
type ruleHome struct {
	t        *testing.T
	bin, dir string
	work     string // the working directory
	two      bool
	read     map[string][]byte            // logs
	lines    map[string]map[string]string // newest line of each key, by log
}

func (h *ruleHome) env(now string) []string {
	env := append(sessionEnv(h.bin, h.dir, now), "EDITOR="+h.dir+"/editor")
	if !h.two {
		env = append(env, "MEM_ROOT="+h.dir+"/memory")
	}
	return env
}

// run runs mem, and returns its exit code and output.
func (h *ruleHome) run(by ruleCaller, now, stdin string, args ...string) (int, string) {
	h.t.Helper()
	cmd := exec.Command(filepath.Join(h.bin, "mem"), args...)
	cmd.Dir, cmd.Env = h.work, append(h.env(now), by.env...)
	if by.env != nil && args[0] == "import" { // at no other time than the clock's
		cmd.Env = append(cmd.Env, "MEM_NOW=")
	}
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		h.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (h *ruleHome) must(by ruleCaller, now, stdin string, args ...string) {
	h.t.Helper()
	if exit, says := h.run(by, now, stdin, args...); exit != 0 {
		h.t.Fatalf("mem %q: exit %d, %s", args, exit, says)
	}
}

// editor is a program that replaces the text of a memory.
const editor = "#!/bin/sh\nsed -i 's/\"text\": *\"[^\"]*\"/\"text\": \"changed\"/' \"$1\"\n"

// peers are rules that may come in the place of another one in the same store.
const peers = `{"key":"/user/peer","content":{"type":"rule","text":"Peers of people"},"source":"s"}
{"key":"/project/peer","content":{"type":"rule","text":"Branches are short"},"source":"s"}
`

// makeRules makes the rules in two versions, and two facts for each.
func (h *ruleHome) makeRules() {
	h.t.Helper()
	err := os.WriteFile(h.dir+"/editor", []byte(editor), 0o700)
	if err != nil {
		h.t.Fatal(err)
	}
	yes := []string{"--yes", "set", "-", "-q"}
	for i, now := range []string{firstNow, secondNow} {
		var lines, facts strings.Builder
		for n, r := range rules {
			content := map[string]any{"text": r.text, "version": i}
			switch r.kind {
			case "preference", "approved claim", sameKey, "file":
				content["type"] = "preference"
			case "type rule":
				content["type"] = "rule"
			}
			text, _ := json.Marshal(content)
			line := fmt.Sprintf(`{"key":%q,"content":%s,"source":"chat"}`+"\n", r.key, text)
			switch {
			case r.id != "" || r.kind == "approved claim" && i > 0:
			case r.kind == "approved claim":
				h.must(clients[0], now, line, yes[1:]...)
			default:
				lines.WriteString(line)
			}
			for _, f := range "ab" {
				fmt.Fprintf(&facts, `{"key":"%s/%c","content":{"text":"%d %c"},"source":"s"}`+"\n",
					r.beside(n), f, i*100+n, f)
			}
		}
		h.must(person, now, lines.String()+peers, yes...)
		h.must(clients[0], now, facts.String(), yes[1:]...)
	}
	h.must(person, firstNow, "", "note", rules[9].text, "--tag", "preference", "-q")
	h.must(person, firstNow, "", "note", rules[10].text, "-q")
	h.must(clients[0], firstNow, "", "note", rules[11].text, "-q")
	h.must(person, secondNow, "", "touch", "m-1", "--importance", "0.7", "-q")
	h.must(person, secondNow, "", "pin", "m-2", "m-3", "-q")
	h.must(person, secondNow, "", "--yes", "approve", "/user/editor", "-q")
	h.must(person, secondNow, "", "session", "create", "--id", "s", "-q")
	if h.two {
		h.must(clients[0], secondNow, "", "--layer", "project", "set", "/user/clock",
			`{"text":"Times are local"}`, "-s", "x", "-q")
	}
}

// copied returns a home of its own with the same rules.
func (h *ruleHome) copied(t *testing.T, verb string) *ruleHome {
	t.Helper()
	if h.two && verb == "init" { // it writes into the repository, which copies share
		return twoLayers(t)
	}
	c := *h
	c.t, c.dir, c.read = t, ramDir(t), nil
	if !c.two {
		c.work = c.dir
	}
	if out, err := exec.Command("cp", "-a", h.dir+"/.", c.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			fsckAll(t, c.bin, c.dir)
		}
	})
	return &c
}

// ramDir returns a directory in memory, if there is one.
func ramDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "mem-rules-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// newest returns the newest line of each key in each store.
func (h *ruleHome) newest() map[string]map[string]string {
	h.t.Helper()
	logs := map[string][]byte{}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err == nil && d.IsDir() && (d.Name() == "index" || d.Name() == "cache"):
			return fs.SkipDir
		case err == nil && (d.Name() == "log.jsonl" || strings.HasPrefix(d.Name(), "log_")):
			logs[path], err = os.ReadFile(path)
			return err
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if h.read != nil && len(logs) == len(h.read) {
		same := true
		for path, text := range logs {
			same = same && bytes.Equal(text, h.read[path])
		}
		if same {
			return h.lines
		}
	}
	h.read, h.lines = logs, map[string]map[string]string{}
	for path, text := range logs {
		root := strings.TrimPrefix(strings.TrimSuffix(filepath.Dir(path), "/archive"), h.dir)
		if h.lines[root] == nil {
			h.lines[root] = map[string]string{}
		}
		for line := range strings.Lines(string(text)) {
			var e struct{ Key, TS string }
			if json.Unmarshal([]byte(line), &e) == nil && stampOf(h.lines[root][e.Key]) <= e.TS {
				h.lines[root][e.Key] = line
			}
		}
	}
	return h.lines
}

func stampOf(line string) string {
	var e struct{ TS string }
	json.Unmarshal([]byte(line), &e)
	return e.TS
}

// rules returns the rules with the keys that they have here: in a layer, letters end those of notes.
func (h *ruleHome) rules() []rule {
	list := slices.Clone(rules)
	for _, at := range h.newest() {
		for key := range at {
			for i, r := range list {
				if r.id != "" && strings.HasPrefix(key, r.key+"-") {
					list[i].key = key
				}
			}
		}
	}
	return list
}

// lineOf returns the newest lines of a rule in the stores that lines has it in.
func lineOf(lines, now map[string]map[string]string, r rule) (list []string) {
	for root, at := range lines {
		if line, ok := at[r.key]; ok && !strings.Contains(line, "Times are local") {
			list = append(list, root+now[root][r.key])
		}
	}
	slices.Sort(list)
	return list
}

// injected returns the lines that the hook of a new session injects as rules of the user, or where
// the block has no parts all of them.
func (h *ruleHome) injected() (list []string) {
	h.t.Helper()
	said := fmt.Sprintf(`{"hook_event_name":"SessionStart","session_id":"s%d","source":"startup",`+
		`"cwd":%q}`, sessions.Add(1), h.work)
	exit, says := h.run(ruleCaller{env: []string{"MEM_AGENT=ada", "CLAUDECODE=1"}}, triedNow, said,
		"hook", "claude-code")
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal([]byte(says), &answer); exit != 0 || err != nil {
		h.t.Fatalf("hook: exit %d, %v, %s", exit, err, says)
	}
	block := answer.HookSpecificOutput.AdditionalContext
	if _, part, ok := strings.Cut(block, "Rules of the user\n"); ok {
		block, _, _ = strings.Cut(part, "\nFacts noted")
	}
	for line := range strings.Lines(block) {
		if _, text, ok := strings.Cut(strings.TrimSpace(line), ") "); ok {
			list = append(list, text)
		}
	}
	return list
}

var sessions atomic.Int64

// inForce reports an error for a rule that no new session gets, and in two layers for a new one. No
// hook injects files of the memory tool.
func (h *ruleHome) inForce(what string) {
	h.t.Helper()
	got := h.injected()
	for _, r := range h.rules() {
		if r.kind != "file" && !slices.Contains(got, r.text) {
			h.t.Errorf("%s: the rule %q is not injected: %q", what, r.text, got)
		}
	}
	if want := len(rules) + 1; h.two && len(got) != want {
		h.t.Errorf("%s: %d rules are injected, want %d: %q", what, len(got), want, got)
	}
}

// withRule returns the arguments of a line for a rule, and what is on standard input.
func withRule(line string, n int, r rule, dir string) (args []string, stdin string) {
	line, stdin, _ = strings.Cut(line, " <<< ")
	fill := ruleWords(n, r, dir)
	for _, arg := range strings.Fields(line) {
		args = append(args, fill.Replace(arg))
	}
	return args, fill.Replace(stdin)
}

// ruleWords replaces the words in braces.
func ruleWords(n int, r rule, dir string) *strings.Replacer {
	return strings.NewReplacer("{key}", r.key, "{name}", r.name(), "{text}", r.text,
		"{fact}", r.beside(n)+"/a", "{other}", r.beside(n)+"/b", "{peer}", r.peer(),
		"{n}", fmt.Sprint(n), "{home}", dir, "{word}", strings.Fields(r.text)[1])
}

// preparedHomes are the homes of the two layouts, which tests copy.
func preparedHomes(t *testing.T) []*ruleHome {
	t.Helper()
	one := &ruleHome{t: t, bin: buildMem(t), dir: ramDir(t)}
	one.work = one.dir
	one.makeRules()
	one.inForce("as made")
	return []*ruleHome{one, twoLayers(t)}
}

// twoLayers makes a home with the rules in the stores of the user and of a repository.
func twoLayers(t *testing.T) *ruleHome {
	t.Helper()
	repo := filepath.Join(ramDir(t), "work")
	for _, part := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(repo, ".git", part), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	head := filepath.Join(repo, ".git", "HEAD")
	if err := os.WriteFile(head, []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &ruleHome{t: t, bin: buildMem(t), dir: ramDir(t), work: repo, two: true}
	h.makeRules()
	h.inForce("as made")
	return h
}

func (h *ruleHome) layout() string {
	if h.two {
		return "two layers"
	}
	return "one root"
}

// cells counts what was tried, so that a sweep that tries nothing fails.
type cells struct{ refused, beside, changed atomic.Int64 }

func (c *cells) atLeast(t *testing.T, refused, beside, changed int64) {
	t.Helper()
	t.Logf("%d refused, %d beside the rule, %d changed", c.refused.Load(), c.beside.Load(),
		c.changed.Load())
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // only some cells ran
	}
	// A sample may have none of a kind.
	some := c.refused.Load()+c.beside.Load()+c.changed.Load() >= (refused+beside+changed)/50
	all := c.refused.Load() >= refused && c.beside.Load() >= beside && c.changed.Load() >= changed
	if !testkit.Extent(some, all, all) {
		t.Errorf("want at least %d, %d and %d, or in a sample a part", refused, beside, changed)
	}
}

// proposes matches a message that names the call which proposes a change.
// A move is not proposed: the hint says that only the user moves a rule.
var proposes = regexp.MustCompile(`--propose|with propose true|only the user moves it`)

// judge compares a rule with its line before a call of a client, and looks at the answer.
func (h *ruleHome) judge(what string, r rule, before map[string]map[string]string, refused bool,
	want effect, says string, sum *cells) {
	h.t.Helper()
	last := h.lines
	was, is := lineOf(before, before, r), lineOf(before, h.newest(), r)
	if len(was) == 0 || !slices.Equal(was, is) {
		h.t.Errorf("%s: the rule changed:\n%s\n%s\n%s", what, was, is, says)
	}
	if want == touches && !refused {
		h.t.Errorf("%s: it is not refused: %s", what, says)
	}
	if want == touches && !reflect.DeepEqual(last, h.lines) {
		h.t.Errorf("%s: something was written: %s", what, says)
	}
	if want == decides && !refused {
		h.t.Errorf("%s: no person decides: %s", what, says)
	}
	if refused && want == touches && r.kind != "identity" && !proposes.MatchString(says) {
		h.t.Errorf("%s: no hint proposes it: %s", what, says)
	}
	if refused {
		sum.refused.Add(1)
	} else {
		sum.beside.Add(1)
	}
}

// Every verb leaves every rule as it is, unless a person calls it.
func TestRulesAgainstVerbs(t *testing.T) {
	homes := preparedHomes(t)
	checkVerbTable(t)
	var sum cells
	t.Run("all", func(t *testing.T) {
		for _, home := range homes {
			for _, v := range testkit.Sample(t, ruleVerbs, 6, 4) {
				for _, by := range clients {
					t.Run(home.layout()+"/"+v.verb+"/"+by.name, func(t *testing.T) {
						t.Parallel()
						home.copied(t, v.verb).tryVerb(v, by, &sum)
					})
				}
				for _, l := range v.lines {
					t.Run(home.layout()+"/"+v.verb+"/person/"+l.args, func(t *testing.T) {
						t.Parallel()
						home.copied(t, v.verb).asPerson(l, &sum)
					})
				}
			}
		}
	})
	sum.atLeast(t, 3300, 2250, 1000)
}

// tryVerb gives a client's lines of a verb against each rule.
func (h *ruleHome) tryVerb(v ruleVerb, by ruleCaller, sum *cells) {
	before := h.newest()
	for _, l := range v.lines {
		for n, r := range h.rules() {
			if !l.fits(r, h.two) {
				continue
			}
			args, stdin := withRule(l.args, n, r, h.dir)
			exit, says := h.run(by, triedNow, stdin, args...)
			h.judge(fmt.Sprintf("%s: mem %q, %s: exit %d", by.name, args, r.kind, exit), r, before,
				exit == 3, l.on(r, h.two), says, sum)
			if l.once {
				break
			}
		}
	}
	h.inForce(by.name + ": " + v.verb)
}

// asPerson gives one line of a person against each rule.
func (h *ruleHome) asPerson(l ruleLine, sum *cells) {
	for n, r := range h.rules() {
		if !l.fits(r, h.two) || l.on(r, h.two) == beside && !l.keeps {
			continue
		}
		before := h.newest()
		args, stdin := withRule(l.args, n, r, h.dir)
		exit, says := h.run(person, triedNow, stdin, append([]string{"--yes"}, args...)...)
		was, is := lineOf(before, before, r), lineOf(before, h.newest(), r)
		if changed := !slices.Equal(was, is); changed == l.keeps {
			h.t.Errorf("mem %q, %s: exit %d, changed %v: %s", args, r.kind, exit, changed, says)
		}
		sum.changed.Add(1)
		if l.once {
			break
		}
	}
}

var verbRow = regexp.MustCompile("(?m)^\\| `mem ((?:[a-z][a-z-]* ?)+)")

// checkVerbTable compares the table with the verbs of the documentation and of the Store.
func checkVerbTable(t *testing.T) {
	t.Helper()
	has := map[string]bool{"propose": true, "inject": true, "settle": true} // in lines of others
	for _, v := range ruleVerbs {
		has[v.verb] = true
	}
	text, err := os.ReadFile("docs/verbs.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range verbRow.FindAllStringSubmatch(string(text), -1) {
		name := strings.TrimSpace(m[1])
		if !has[name] && !strings.HasPrefix(name, "completion") {
			t.Errorf("rules_table_linux_test.go: no row for mem %s", name)
		}
	}
	for _, v := range policy.Verbs() {
		if !has[v.String()] {
			t.Errorf("rules_table_linux_test.go: no row for the operation %s", v)
		}
	}
}
