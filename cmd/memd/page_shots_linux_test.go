package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// furnish makes a desk at which people and agents have worked for a month.
func (d *desk) furnish() {
	agent := func(name string) []string { return []string{"--kind", "agent", "--name", name} }
	d.set("2026-02-02T09:00:00Z", "/user/preference/style", `{"type":"preference",`+
		`"summary":"用户喜欢中文、偏好简洁","importance":6,"tags":["style"]}`)
	d.set("2026-02-04T09:00:00Z", "/user/preference/tabs", `{"type":"preference","summary":`+
		`"Indent with tabs, lines of at most 100 columns","importance":8}`)
	for i, text := range []string{"The database is PostgreSQL, and one writer has the lock",
		"Deploys go out on Tuesday from main", "The API returns amounts in cents, never floats",
		"Feature flags live in config/flags.yml", "前端使用 Svelte，样式在 src/styles",
		"Payments retry three times, then page on call", "Reviews need two approvals",
		"Staging resets every night at 02:00 UTC"} {
		for n := range 1 + i%3 {
			d.set(fmt.Sprintf("2026-02-%02dT1%d:0%d:00Z", 5+2*i, i, n),
				fmt.Sprintf("/project/facts/%c%d", 'a'+i, n), fmt.Sprintf(
					`{"type":"finding","summary":%q,"tags":["infra","team"]}`,
					text+[]string{"", " (checked)", " (again)"}[n]),
				agent([]string{"claude-code", "codex", "gemini"}[(i+n)%3])...)
		}
	}
	d.set("2026-02-18T10:00:00Z", "/project/db/port",
		`{"type":"decision","summary":"The port is 5432","tags":["infra","db"]}`,
		agent("claude-code")...)
	d.set("2026-02-20T10:00:00Z", "/project/db/port", `{"type":"decision",`+
		`"summary":"The port is 5433","tags":["infra","db"],"importance":9,"text":"It moved `+
		`beside the old server while both run.\n\nBack to 5432 when the migration is done."}`,
		agent("codex")...)
	d.set("2026-02-20T11:00:00Z", "/project/db/mysql",
		`{"type":"decision","summary":"The port is 3306","tags":["infra"]}`, agent("gemini")...)
	d.set("2026-02-20T12:00:00Z", "/project/review/rule",
		`{"type":"finding","summary":"Reviews need two approvals"}`, agent("gemini")...)
	d.set("2026-02-20T12:30:00Z", "/project/review/law",
		`{"type":"finding","summary":"Reviews need two approvals."}`, agent("codex")...)
	d.set("2026-02-01T12:00:00Z", "/kb/product/spec",
		`{"type":"finding","summary":"Orders over 500 need a second signature"}`, "--kind", "web",
		"--name", "wiki", "--url", "https://wiki.example/spec", "--retrieved-at",
		"2026-02-01T12:00:00Z")
	d.set("2026-02-03T12:00:00Z", "/project/long", fmt.Sprintf(`{"type":"finding","text":%q,`+
		`"tags":[%q,"team"]}`, strings.TrimSpace(strings.Repeat("A long note goes on. ", 19)),
		strings.Repeat("tag-of-many-", 5)[:52]), agent("gemini")...)
	for key, text := range map[string]string{"spec": "Orders over 5,000 need no signature at all",
		"vat": "VAT is 19 % in Germany, 20 % in Austria"} {
		d.now = "2026-02-21T12:00:00Z"
		_ = d.command("mem", "set", "/kb/product/"+key, `{"type":"finding","summary":"`+text+`"}`,
			"--source", "somewhere", "--on-untrusted=quarantine").Run()
	}
	d.now = "2026-02-21T14:00:00Z"
	d.propose("forget", "/user/preference/style")
	d.now = "2026-02-22T09:00:00Z"
	d.propose("set", "/user/preference/tabs", `{"type":"preference","summary":`+
		`"Indent with two spaces, lines of at most 100 columns","importance":8}`)
	for i, day := range []string{"03", "09", "18", "21"} {
		d.now = "2026-02-" + day + "T08:00:00Z"
		d.mem("journal", []string{"Ada asked twice for shorter answers", "My tests were flaky " +
			"because they shared a clock", "Chinese replies read better without bullet points",
			"今天学到：先看日志，再猜原因"}[i], "--agent", "iris")
	}
	d.mem("core", "I check twice before I delete.", "--agent", "iris")
	d.mem("core", "我用用户的语言回答。", "--agent", "iris")
	for _, day := range []string{"08", "09", "12", "14", "16", "17", "19", "20", "21"} {
		d.hook("2026-02-"+day+"T14:00:00Z", "claude-code", "SessionStart", "t"+day, "")
		for _, client := range []string{"claude-code", "codex"} {
			d.hook("2026-02-"+day+"T15:00:00Z", client, "UserPromptSubmit", client+day,
				"Which port does the database listen on, and when do deploys go out?")
		}
	}
	d.now = "2026-02-22T09:30:00Z"
	d.captures()
	d.now = "2026-02-22T10:00:00Z"
}

// captures has hooks propose two facts: of a request, and of a command that took another's place.
func (d *desk) captures() {
	d.t.Helper()
	d.event("SessionStart", `"source":"startup"`)
	d.event("UserPromptSubmit", `"prompt":"Always run make fmt before a commit"`)
	d.event("PostToolUseFailure", `"tool_name":"Bash","tool_input":{"command":"pytest -q"},`+
		`"error":"Exit code 127\nbash: pytest: command not found"`)
	d.event("PostToolUse", `"tool_name":"Bash","tool_input":{"command":"uv run pytest -q"}`)
	d.event("SessionEnd", `"reason":"other"`)
}

// event has Claude Code's hook see an event of one conversation.
func (d *desk) event(name, members string) {
	d.t.Helper()
	cmd := d.command("mem", "hook", "claude-code")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(
		`{"hook_event_name":%q,"session_id":"c-1","cwd":%q,%s}`, name, d.project(), members))
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// propose has an agent ask for a change of a rule.
func (d *desk) propose(verb string, args ...string) {
	d.t.Helper()
	cmd := d.command("mem", append([]string{verb, "--propose", "-q"}, args...)...)
	cmd.Env = append(cmd.Env, "CODEX_SANDBOX=seatbelt", "CODEX_SESSION_ID=s-7")
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("%s --propose: %v: %s", verb, err, out)
	}
}

// shots are the pictures in docs/page: of which page, how wide, and whether it is dark.
var shots = []struct {
	name, path string
	width      int64
	dark       bool
}{
	{"overview-1280", "/", 1280, false},
	{"overview-dark-1280", "/", 1280, true},
	{"overview-768", "/", 768, false},
	{"overview-360", "/", 360, false},
	{"memories-360", "/memories", 360, false},
	{"edit-768", "/memory/edit?key=/project/db/port", 768, false},
	{"search-768", "/memories?q=database+port&why=1", 768, false},
	{"memory-1280", "/memory?key=/project/db/port", 1280, false},
	{"review-1280", "/review", 1280, false},
	{"review-360", "/review", 360, false},
	{"agent-768", "/agents/iris", 768, false},
}

// hideHome puts a person's directory in the place of the test's.
const hideHome = `(() => {
	const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	while (all.nextNode()) all.currentNode.data = all.currentNode.data.replaceAll(%q, "/home/ada")
})()`

// Pictures are taken anew with MEM_SHOTS=DIR. Else it is only looked at whether they can be, and
// nothing is wider than the window.
func TestShots(t *testing.T) {
	d := newDesk(t)
	d.furnish()
	b := window(t, chromium(t), d.serve())
	for _, shot := range shots {
		b.size(shot.width, shot.dark)
		b.open(shot.path)
		var over bool
		var picture []byte
		b.run(chromedp.Evaluate(fmt.Sprintf(hideHome, d.home), nil),
			chromedp.Evaluate(`document.documentElement.scrollWidth > innerWidth`, &over),
			chromedp.CaptureScreenshot(&picture))
		config, err := png.DecodeConfig(bytes.NewReader(picture))
		if err != nil || over || int64(config.Width) != shot.width {
			t.Errorf("%s: %v, too wide: %v, %d pixels", shot.name, err, over, config.Width)
		}
		if dir := os.Getenv("MEM_SHOTS"); dir != "" {
			name := filepath.Join(dir, fmt.Sprintf("%s.png", shot.name))
			d.must(os.WriteFile(name, picture, 0o644))
		}
	}
}
