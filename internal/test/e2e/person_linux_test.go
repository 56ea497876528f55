package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// decision is a command that only a person may give.
type decision struct {
	line string // a shell runs it
	// byPipe is set where a person's script may give it without --yes: it claims no more than the
	// script's owner wrote into it.
	byPipe bool
}

var decisions = []decision{
	{"mem approve /kb/x", false},
	{"mem reject /kb/x", false},
	{"mem fsck --adopt", false},
	{"mem fsck --accept-loss archive/log_20260222T120000Z.jsonl", false},
	{"mem forget /a --purge", false},
	{"mem forget /a --forget-key", false},
	{"mem forget --grep tea --purge", false},
	{"mem forget --grep tea", false},
	{"mem forget --prefix /a --reason tea", false},
	{"mem session delete s --purge", false},
	{"mem agent delete ada --purge", false},
	{"mem set /rules/user/a 1 -s x", false},
	{`echo '{"key":"/rules/user/a","content":1,"source":"x"}' | mem set -`, false},
	{"mem mv /a /rules/user/a", false},
	{"cd repo && unset MEM_ROOT && mem trust", false},
	{"cd shared && unset MEM_ROOT && mem init --shared", false},
	{"cd fresh && unset MEM_ROOT && mem init --remote postgres://127.0.0.1:1/db?space=s", false},
	{"mem token add t1 --agent ada --root served", false},
	{`mem config set knowledge '["/kb"]'`, false},
	{"MEM_NOW= mem import --mine mine.jsonl", false},
	{"timeout 10 mem page --no-open", false},
	{"mem undo /a", true},
	{"mem fsck --trust-clock", true},
	{"cd shared && unset MEM_ROOT && mem trust --revoke", true},
	{"mem setup claude-code --no-capture", true},
	{"mem setup claude-code --no-agent", true},
	{"unset MEM_ROOT MEM_NOW; mem backup depot", true},
	{"mem token revoke tok_1 --root served", true},
	{"mem token login https://127.0.0.1:1/t1 --ca f < mine.jsonl", true},
	{"mem token logout https://127.0.0.1:1/t1", true},
	{`mem set /a 1 --source '{"kind":"user","name":"x"}'`, true},
	{`echo '{"key":"/a","content":1,"source":{"kind":"user"}}' | MEM_NOW= mem import -`, true},
}

// callers are programs in the place of a person.
var callers = []struct{ env, says string }{
	{"CLAUDECODE=1", "claude-code runs "},
	{"MEM_AGENT=bot", "agent bot runs "},
	{"AI_AGENT=goose", "other-agent runs "},
}

// prepare makes what the decisions are about.
const prepare = `set -e
mem set /a '{"text":"tea"}' --source '{"kind":"user","name":"ada"}' -q
mem set /a '{"text":"green tea"}' --source '{"kind":"user","name":"ada"}' -q
mem set /kb/x 1 -s web --on-untrusted quarantine -q
echo '{"key":"/rules/user/b","content":1,"source":"x"}' > mine.jsonl
mem session create --id s -q; mem core 'I am Ada' --agent ada -q
f=$(ls memory/index/a@*); sed 's/green/black/' "$f" > f; cat f > "$f"
mkdir -p repo shared fresh; cd repo; git init -q; mkdir .mem
echo '{"key":"/project/x","ts":"2026-01-01T00:00:00.000000Z","valid":true,"source":"x","content":1}' > .mem/log.jsonl
git add .mem; cd ../shared; git init -q; unset MEM_ROOT; mem init -q >/dev/null; mem set /project/y 1 -s x -q
cd ..; mem --yes backup depot -q > key 2>&1
`

// Each decision of a person is refused to a client, at a pseudo-terminal too; where there is neither
// a client nor a terminal it needs --yes, and with that it is not refused.
func TestPersonDecides(t *testing.T) {
	testkit.Program(t, "git")
	bin := buildMem(t)
	for _, d := range decisions {
		t.Run(d.line, func(t *testing.T) {
			t.Parallel()
			home := decisionHome(t, bin)
			before := tree(t, home)
			yes := strings.Replace(d.line, "mem ", "mem --yes ", 1)
			for _, by := range callers {
				for _, line := range []string{d.line, yes} {
					for _, onTerminal := range []bool{false, true} {
						exit, says := decide(t, bin, home, line, onTerminal, by.env)
						if exit != 3 || !strings.Contains(says, by.says) {
							t.Errorf("%s, terminal %v, %s: exit %d, %s", by.env, onTerminal, line,
								exit, says)
						}
					}
				}
			}
			exit, says := decide(t, bin, home, d.line, false)
			refused := exit == 2 && strings.Contains(says, "--yes")
			if refused == d.byPipe {
				t.Errorf("in a pipe: exit %d, %s", exit, says)
			}
			if after := tree(t, home); !d.byPipe && after != before {
				t.Errorf("something was written:\n%s\n%s", before, after)
			}
			exit, says = decide(t, bin, home, yes, false)
			if exit == 3 || strings.Contains(says, "no terminal") {
				t.Errorf("with --yes: exit %d, %s", exit, says)
			}
		})
	}
}

// A program that calls in place of a person is shown no way to store a secret; a person is.
func TestNoProgramIsShownTheWayAroundARefusal(t *testing.T) {
	bin := buildMem(t)
	home := decisionHome(t, bin)
	for _, line := range []string{
		"mem set /b --text " + testkit.Token + " -s x",
		"mem set /b --text " + testkit.Token + " -s x --json",
		"mem note " + testkit.Token,
		"mem note --replaces /a " + testkit.Token,
		"mem remember s " + testkit.Token + " --type finding",
		"mem decide " + testkit.Token,
		"mem task " + testkit.Token,
		"mem mv /a /" + testkit.Token,
		"mem touch /a --tag " + testkit.Token,
		"mem journal " + testkit.Token + " --agent bot",
		"echo " + testkit.Token + " | mem artifact add -",
		`echo '{"key":"/b","content":"` + testkit.Token + `","source":"x"}' | mem set -`,
		`echo '{"key":"/b","content":"` + testkit.Token + `","source":"x"}' | mem import -`,
	} {
		env := ""
		if strings.HasPrefix(line, "mem journal") {
			env = "MEM_AGENT=bot"
		}
		for _, by := range callers {
			exit, says := decide(t, bin, home, line, false, by.env, env)
			if exit == 0 || strings.Contains(says, "allow-secret") {
				t.Errorf("%s, %s: exit %d, %s", by.env, line, exit, says)
			}
		}
		exit, says := decide(t, bin, home, line, false)
		if hint := "--allow-secret github-pat"; exit == 0 || env == "" && !strings.Contains(says, hint) {
			t.Errorf("a person, %s: exit %d, %s", line, exit, says)
		}
	}
}

// decisionHome returns a home in which there is something to decide.
func decisionHome(t *testing.T, bin string) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", prepare)
	cmd.Dir = home
	cmd.Env = append(sessionEnv(bin, home, "2026-02-22T10:00:00Z"), "MEM_ROOT="+home+"/memory")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return home
}

// decide runs a line, and returns its exit code and what it says.
func decide(t *testing.T, bin, home, line string, onTerminal bool, env ...string) (int, string) {
	t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = home
	cmd.Env = append(append(sessionEnv(bin, home, "2026-02-22T10:00:00Z"),
		"MEM_ROOT="+home+"/memory"), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if onTerminal {
		_, slave := testkit.Terminal(t, 0)
		cmd.Stdin = slave
	}
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// tree returns the logs below a directory: whatever is written stands in one of them.
func tree(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `find "$1" -name log.jsonl -o -name tokens.json -o -path \
'*/state/mem/*' -type f | sort | xargs cat | sha256sum`, "sh", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A condition asks first at a terminal, with the count and five of the memories that it selects.
func TestConditionAsks(t *testing.T) {
	bin, home := buildMem(t), t.TempDir()
	run := func(line, answer string) (int, string) {
		t.Helper()
		return atTerminal(t, bin, home, line, answer)
	}
	if exit, says := run(`for i in 1 2 3 4 5 6 7; do mem set /tea/$i '{"text":"cup"}' -s x -q; done
mem note --pin 'Never pour tea' -q`, ""); exit != 0 {
		t.Fatal(says)
	}
	exit, says := run("mem forget --grep tea", "n\n")
	for _, want := range []string{"forget 8 memories? [y/N]", "  /tea/2 cup\n", "and 3 more: --dry-run",
		"nothing was forgotten"} {
		if !strings.Contains(says, want) {
			t.Errorf("%q lacks %q", says, want)
		}
	}
	if exit != 1 || strings.Contains(says, "  /tea/5") {
		t.Errorf("exit %d, %s", exit, says)
	}
	if exit, says = run("mem forget /tea/1 /tea/2", ""); exit != 0 {
		t.Errorf("keys: exit %d, %s", exit, says)
	}
	if exit, says = run("mem forget --grep tea", "y\n"); exit != 0 ||
		!strings.Contains(says, "6 memories forgotten") {
		t.Errorf("yes: exit %d, %s", exit, says)
	}
}

// An approval and an import of rules ask first at a terminal, with the memories that they are about.
func TestTrustAsks(t *testing.T) {
	bin, home := buildMem(t), t.TempDir()
	run := func(line, answer string) (int, string) {
		t.Helper()
		return atTerminal(t, bin, home, line, answer)
	}
	if exit, says := run(`mem set /kb/x 41 -s web --on-untrusted quarantine -q
for i in 1 2 3 4 5 6 7; do echo '{"key":"/rules/user/r'$i'","content":{"text":"rule '$i'"},"source":"x"}'; done > f.jsonl
echo '{"key":"/a","content":1,"source":"x"}' >> f.jsonl`, ""); exit != 0 {
		t.Fatal(says)
	}
	for _, c := range []struct {
		line, answer string
		exit         int
		wants        []string
	}{
		{"mem approve /kb/x", "n\n", 1, []string{"/untrusted/kb/x", "  41",
			"approve it? [y/N]"}},
		{"mem get /kb/x", "", 1, nil},
		{"mem approve /kb/x -q", "y\n", 0, []string{"approve it? [y/N]"}},
		{"mem get /kb/x", "", 0, []string{"41"}},
		{"mem import --mine f.jsonl", "n\n", 1, []string{"5 of 7 memories:", "  /rules/user/r1  rule 1",
			"import 7 rules as yours? [y/N]"}},
		{"mem ls /rules", "", 0, nil},
		{"mem import --mine f.jsonl --dry-run", "", 0, []string{"8 new"}},
		{"mem import --mine f.jsonl", "y\n", 0, []string{"8 new"}},
		{"mem get /rules/user/r7", "", 0, []string{"rule 7"}},
		{"mem fsck", "", 0, nil},
	} {
		exit, says := run(c.line, c.answer)
		if exit != c.exit {
			t.Errorf("%s, %q: exit %d, %s", c.line, c.answer, exit, says)
		}
		for _, want := range c.wants {
			if !strings.Contains(says, want) {
				t.Errorf("%s: %q lacks %q", c.line, says, want)
			}
		}
		if c.line == "mem ls /rules" && strings.Contains(says, "r1") {
			t.Errorf("refused, and stored: %s", says)
		}
	}
}

// atTerminal runs a line with a terminal as its input, and returns its exit code and output.
func atTerminal(t *testing.T, bin, home, line, answer string) (int, string) {
	t.Helper()
	master, slave := testkit.Terminal(t, 0)
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir, cmd.Stdin = home, slave
	cmd.Env = append(sessionEnv(bin, home, "2026-02-22T10:00:00Z"), "MEM_ROOT="+home+"/memory")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if _, err := master.WriteString(answer); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String()
}

// A request over HTTP is no person's, but with a token that says so.
func TestPersonOverHTTP(t *testing.T) {
	testkit.Program(t, "curl")
	bin := buildMem(t)
	home := decisionHome(t, bin)
	script := `set -e
mem --yes token add t1 --agent ada --root served -q > agent.token
mem --yes token add t1 --person --root served -q > person.token
mem --yes token add t1 --person --agent ada --root served -q > both.token
mem serve --root served --listen 127.0.0.1:0 2> serve.log & trap "kill $!" EXIT
until curl -s --unix-socket served/memd.sock http://mem/healthz > /dev/null; do sleep .1; done
url=http://$(grep -oE 'tcp:[0-9.:]+' serve.log | cut -c 5-)/api/v1/memories
ask() { curl -s -o answer -w '%{http_code} ' -X PUT "$@"; }
for who in agent person both; do
	head="Authorization: Bearer $(cat $who.token)"
	ask -H "$head" -d '{"content":1,"source":"x"}' "$url/rules/user/a"
	ask -H "$head" -d '{"content":1,"source":{"kind":"user","name":"x"}}' "$url/a"
	echo $who
done
`
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = home, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home)
	out, err := cmd.Output()
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(home, "serve.log"))
		t.Fatalf("%v\n%s\n%s", err, out, log)
	}
	if got := strings.Join(strings.Fields(string(out)), " "); got != "422 422 agent 200 200 person 200 200 both" {
		t.Error(got)
	}
}
