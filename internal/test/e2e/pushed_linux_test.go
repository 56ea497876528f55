package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// plain is a line of a page without headings, which is a rule or a fact.
const (
	absent = "absent"
	isRule = "rule"
	isFact = "fact"
	isRepo = "fact of the repository"
	plain  = "plain"
)

// pushedRecord is a kind of record: the commands that make it, its text TEXT, and its standing.
// In a layout with repository set it is made in two layers only.
type pushedRecord struct {
	name, make, want string
	repository       bool
}

// fromWild is the source of a record that says of what kind it is.
const fromWild = `--source '{"kind":"KIND","name":"evil","url":"https://evil.example",` +
	`"retrieved_at":"2026-01-01T00:00:00Z","locator":{"url":"https://evil.example","path":"x"}}'`

func wild(kind string) string {
	return "mem note TEXT --pin --scope user " + strings.Replace(fromWild, "KIND", kind, 1)
}

// pulled returns a line that a colleague pushed.
func pulled(key, content string) string {
	return `pulled '{"key":"` + key + `","ts":"2026-01-02T00:00:00.000000Z","valid":true,` +
		`"source":{"kind":"user","name":"you"},"content":` + content + `}'`
}

var pushedRecords = []pushedRecord{
	{"ownpin", "mem note TEXT --pin --scope user", isRule, false},
	{"ownrule", "mem --yes set /rules/user/ownrule --text TEXT -s me", isRule, false},
	{"ownpref", "mem set /user/preference/own --type preference --text TEXT -s me", isRule, false},
	{"ownfact", "mem note TEXT --scope user", isFact, false},
	{"web", wild("web"), isFact, false},
	{"file", wild("file"), isFact, false},
	{"tool", wild("tool"), isFact, false},
	{"webrule", "mem --yes set /rules/user/web --text TEXT " + strings.Replace(fromWild, "KIND", "web", 1),
		isFact, false},
	{"imported", `echo '{"key":"/user/imported","source":{"kind":"user","name":"x"},` +
		`"content":{"type":"rule","text":"TEXT"}}' | mem LAYER --yes import -`, isFact, false},
	{"clientpin", "CLAUDECODE=1 mem note TEXT --pin --scope user", isFact, false},
	{"clientpref", "CLAUDECODE=1 mem set /user/preference/c --type preference --text TEXT -s chat",
		isFact, false},
	{"approved", `mem --yes approve "$(CLAUDECODE=1 mem note TEXT --pin --scope user | jq -r .proposal)"`,
		isRule, false},
	{"quarantined", "mem set /kb/q -s web --on-untrusted quarantine --text TEXT", absent, false},
	{"foreigncore", "mem core TEXT --agent bob", absent, false},
	{"foreignjournal", "mem journal TEXT --agent bob", absent, false},
	{"expired", `mem set /user/expired '{"text":"TEXT","expired_at":"2025-01-01T00:00:00Z"}' -s x`,
		absent, false},
	{"superseded", `mem set /user/old --text TEXT -s x
mem set /user/new --text newer -s x; mem supersede /user/old /user/new`, absent, false},
	{"channel", "mem event --session other --channel private --agent bob --text TEXT", absent, false},
	{"inrepo", "mem note TEXT --pin", isRepo, true},
	{"trustedrule", "TRUSTED" + pulled("/rules/org/good", `{"text":"TEXT"}`), isRepo, true},
	{"trustedpref", "TRUSTED" + pulled("/user/preference/good", `{"type":"preference","text":"TEXT"}`),
		isRepo, true},
	{"trustedid", "TRUSTED" + pulled("/agent/ada/identity", `{"text":"TEXT"}`), absent, true},
	{"othersid", "mem set /agent/eve/identity --text TEXT -s me", absent, false},
	{"bothlayers", "mem set /user/both --type preference --text TEXT -s me\n" +
		"CLAUDECODE=1 mem set /user/both --layer project --text harbour -s x", isRule, true},
	{"touched", `mem set /user/touched '{"type":"note","text":"TEXT"}' -s me
CLAUDECODE=1 mem touch /user/touched --tag preference`, isFact, false},
	{"pulledrule", pulled("/rules/org/evil", `{"text":"TEXT"}`), absent, true},
	{"pulledpref", pulled("/user/preference/own", `{"type":"preference","text":"TEXT"}`), absent,
		true},
	{"pullednote", pulled("/note/workspace/m-9-abcd", `{"type":"note","text":"TEXT","pinned":true}`),
		absent, true},
	{"pulledhandoff", pulled("/handoff/s1/ada", `{"type":"handoff","text":"TEXT"}`), absent, true},
	{"pulledcore", pulled("/agent/ada/core/01M84701XHB4F7NVPRGDZ36RMT",
		`{"type":"core","text":"TEXT"}`), absent, true},
	{"pulledfile", pulled("/memories/FILE.md", `{"type":"file","text":"TEXT"}`), absent, true},
	{"pulledevent", pulled("/event/s1/evt_01M84701XHB4F7NVPRGDZ36RMT", `{"type":"message",`+
		`"session_id":"s1","channel":"team","actor":{"type":"human","id":"user"},`+
		`"kind":"message","content":{"text":"TEXT"}}`), absent, true},
}

// text is what a record says. No word of it is in another.
func (r pushedRecord) text() string { return "zq" + r.name + " harbour " + r.name + "zq" }

func (r pushedRecord) script() string {
	script := strings.ReplaceAll(r.make, `"TEXT"`, `"`+r.text()+`"`)
	script = strings.ReplaceAll(script, "TEXT", "'"+r.text()+"'")
	return strings.ReplaceAll(strings.TrimPrefix(script, "TRUSTED"), "FILE", "zq"+r.name)
}

// pulledFunc writes a line with a checksum behind the log of the repository's store.
const pulledFunc = `set -e
pulled() { printf '%s,"checksum":"sha256:%s"}\n' "${1%\}}" "$(printf %s "$1" |
  sha256sum | cut -d ' ' -f 1)" >> .mem/log.jsonl; }
`

// pushedPaths are the commands that print text for a model, WORDS in them what is looked for, and
// whether their pages have headings.
var pushedPaths = []struct {
	name, run string
	headings  bool
	all       bool // it prints every admitted record
}{
	{"hook start", `mem_hook SessionStart`, true, true},
	{"hook sub-agent", `mem_hook SubagentStart`, true, false},
	{"hook prompt", `mem_hook UserPromptSubmit 'WORDS'`, true, false},
	{"read", `mem read --token-limit 9000`, false, true},
	{"read query", `mem read --query 'WORDS'`, false, false},
	{"notes", `mem read --format notes --query 'WORDS'`, false, false},
	{"private", `mem read --format private --agent ada`, false, false},
	{"bundle", `mem bundle --session s1 --agent ada --channel team --format text --query 'WORDS'`,
		true, false},
	{"bundle JSON", `mem bundle --session s1 --agent ada --channel team --query 'WORDS' |
jq -r '.sections[] | "## " + .name, (.items[] | "- " + (.text // ""))'`, true, false},
	{"MCP bundle", `rpc tools/call '"name":"memory_build_acb","arguments":{"session_id":"s1",` +
		`"agent_id":"ada","channel":"team","query_text":"WORDS"},' |
jq -r '.result.structuredContent.sections[] | "## " + .name, (.items[] | "- " + (.text // ""))'`,
		true, false},
	{"MCP resources", `rpc resources/list '' | jq -r '.result.resources[].description'`, false, true},
	{"MCP files", `rpc tools/call '"name":"memory","arguments":{"command":"view","path":"/memories"},'`,
		false, false},
	{"memory-md", `mem export --format memory-md LAYER`, false, true},
	{"claude-memory", `rm -rf ../out; mem export --format claude-memory --out ../out LAYER
cat ../out/*`, false, false},
}

// pushedShell has the functions of the paths.
const pushedShell = `n=$RANDOM$RANDOM
mem_hook() { jq -nc --arg e "$1" --arg p "$2" --arg s "$n" \
  '{hook_event_name:$e,source:"startup",session_id:$s,prompt:$p}' | mem hook claude-code |
  jq -r '.hookSpecificOutput.additionalContext // .'; }
rpc() { echo '{"jsonrpc":"2.0","id":1,"method":"'$1'","params":{'"$2"'"_meta":{' \
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28",' \
  '"io.modelcontextprotocol/clientCapabilities":{}}}}' | mem mcp --tools all; }
`

// Every text that a model receives unasked has the admitted records alone, each with its standing.
func TestPushedText(t *testing.T) {
	for _, tool := range []string{"git", "jq", "sha256sum"} {
		testkit.Program(t, tool)
	}
	bin := buildMem(t)
	for _, layered := range []bool{false, true} {
		t.Run(fmt.Sprintf("layers %v", layered), func(t *testing.T) {
			t.Parallel()
			pushedHome(t, bin, layered).check()
		})
	}
}

// pushedWorld is a home with records of each kind.
type pushedWorld struct {
	t       *testing.T
	layered bool
	dir     string
	env     []string
	records []pushedRecord
}

func pushedHome(t *testing.T, bin string, layered bool) *pushedWorld {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &pushedWorld{t: t, layered: layered, dir: filepath.Join(home, "app"),
		env: append(sessionEnv(bin, home, ""), "HOME="+home)}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if layered {
		w.run("git init -q .; mem --yes init --shared -q")
	} else {
		w.env = append(w.env, "MEM_ROOT="+filepath.Join(home, "memory"))
	}
	for _, trusted := range []bool{true, false} { // what is trusted comes before what is pulled later
		for _, r := range pushedRecords {
			if r.repository && !layered || strings.HasPrefix(r.make, "TRUSTED") != trusted {
				continue
			}
			w.records = append(w.records, r)
			w.run(pulledFunc + strings.ReplaceAll(r.script(), "LAYER", w.layer()))
		}
		if layered && trusted {
			w.run("mem --yes trust -q")
		}
	}
	return w
}

// layer returns the flag for the user's layer.
func (w *pushedWorld) layer() string {
	if w.layered {
		return "--layer user"
	}
	return ""
}

func (w *pushedWorld) run(script string) string {
	w.t.Helper()
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = w.dir, w.env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s%s", script, err, out, errs.String())
	}
	return string(out)
}

// check looks for each record in what each path prints.
func (w *pushedWorld) check() {
	for _, p := range pushedPaths {
		run := pushedShell + strings.ReplaceAll(p.run, "LAYER", "")
		everything := ""
		if !strings.Contains(run, "WORDS") {
			everything = w.run(run)
			if w.layered && strings.Contains(p.run, "LAYER") {
				everything += w.run(pushedShell +
					strings.ReplaceAll(p.run, "LAYER", "--layer user"))
			}
		}
		for _, r := range w.records {
			page := everything
			if strings.Contains(run, "WORDS") {
				page = w.run(strings.ReplaceAll(run, "WORDS", r.text()))
			}
			w.cell(p.name, r, page, p.headings, p.all)
		}
	}
}

func (w *pushedWorld) cell(path string, r pushedRecord, page string, headings, all bool) {
	w.t.Helper()
	got := standingOn(page, r.text())
	for _, other := range w.records {
		if other.want == absent && strings.Contains(page, "zq"+other.name) {
			r, got = other, plain
		}
	}
	headings = headings && (w.layered || !strings.HasPrefix(path, "hook"))
	switch {
	case got == r.want, got == absent && !all:
	case !headings && got == plain && (r.want == isRule || r.want == isFact):
	case (path == "MCP resources" || path == "claude-memory") && got == plain && r.want != absent:
		// a list of addresses, or files of their own
	default:
		w.t.Errorf("%s: %s is %s, want %s in\n%s", path, r.name, got, r.want, page)
	}
}

var pageHeading = regexp.MustCompile(`(?m)^(Rules of the user|Facts noted .*|## .*)$`)

// standingOn returns the standing of the line with a text: the heading above it, or its mark.
func standingOn(page, text string) string {
	at := strings.Index(page, text)
	if at < 0 {
		return absent
	}
	line := page[strings.LastIndexByte(page[:at], '\n')+1 : at]
	above := pageHeading.FindAllString(page[:at], -1)
	switch {
	case strings.Contains(line, "(repository") || strings.Contains(line, ", repository"):
		return isRepo
	case len(above) == 0:
		return plain
	}
	switch last := above[len(above)-1]; {
	case strings.HasPrefix(last, "Rules"), last == "## Rules", last == "## rules",
		strings.HasPrefix(last, "## Who"), last == "## identity":
		return isRule
	case strings.Contains(last, "this repository"):
		return isRepo
	}
	return isFact
}
