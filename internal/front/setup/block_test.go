package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
	"pgregory.net/rapid"
)

const (
	oldBlock = "<!-- mem:begin -->\nold\n<!-- mem:end -->"
	newBlock = "<!-- mem:begin -->\n# Memory\n<!-- mem:end -->"
)

func TestBlocks(t *testing.T) {
	crlf := strings.ReplaceAll(newBlock, "\n", "\r\n")
	for _, c := range []struct{ name, text, want string }{
		{"no file", "", newBlock + "\n"},
		{"a line end", "# Rules\n", "# Rules\n\n" + newBlock + "\n"},
		{"no line end", "# Rules", "# Rules\n\n" + newBlock},
		{"CRLF", "# Rules\r\n", "# Rules\r\n\r\n" + crlf + "\r\n"},
		{"an old block", "a\n" + oldBlock + "\nb", "a\n" + newBlock + "\nb"},
		{
			"marks within a line are text",
			"see <!-- mem:begin --> there\n",
			"see <!-- mem:begin --> there\n\n" + newBlock + "\n",
		},
	} {
		got, err := guidance("", "").add([]byte(c.text), requestFor("claude-code"))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %q\nwant %q", c.name, err, got, c.want)
		}
	}
}

func TestBlocksWithHalfAMark(t *testing.T) {
	const noEnd = "line %, column 1: <!-- mem:begin --> without <!-- mem:end --> after it"
	for _, c := range []struct{ text, want string }{
		{"a\n<!-- mem:begin -->\n", strings.Replace(noEnd, "%", "2", 1)},
		{"<!-- mem:begin -->\r\nx mem:end -", strings.Replace(noEnd, "%", "1", 1)},
		{
			"<!-- mem:end -->\nx",
			"line 1, column 1: <!-- mem:end --> without <!-- mem:begin --> before it",
		},
		{oldBlock + "\n\n" + oldBlock, "line 5, column 1: a second <!-- mem:begin -->"},
	} {
		b := guidance("", "")
		_, err := b.add([]byte(c.text), requestFor("claude-code"))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
		if _, err := b.strip([]byte(c.text), nil); err == nil || err.Error() != c.want {
			t.Errorf("strip of %q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestStripRestoresTextsByteForByte(t *testing.T) {
	cursor := requestFor("cursor").Client.FrontMatter
	blocks := []block{guidance("", ""), guidance(cursor, ""), newTable().block}
	pieces := []string{
		"a", "\n", "\r", "\r\n", "\n\n", "\ufeff", " ", "# Rüles 牙", "<!-- mem:begin -->x",
	}
	rapid.Check(t, func(t *rapid.T) {
		b, r := rapid.SampledFrom(blocks).Draw(t, "block"), requestFor("claude-code")
		x := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), "")
		y, err := b.add([]byte(x), r)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := b.add(y, r); err != nil || string(again) != string(y) {
			t.Fatalf("added twice: %v\n%q\nis not\n%q", err, again, y)
		}
		if !strings.HasPrefix(string(y), x) {
			t.Fatalf("%q does not begin with %q", y, x)
		}
		if back, err := b.strip(y, []byte(x)); err != nil || string(back) != x {
			t.Fatalf("%v\n got %q\nwant %q\nfrom %q", err, back, x, y)
		}
	})
}

// A carriage return alone ends a line of a text, too; in settings, where clients differ about where
// a comment ends then, it is refused.
func TestLoneCarriageReturns(t *testing.T) {
	b, r := guidance("", ""), requestFor("claude-code")
	y, err := b.add([]byte("# A\r- b\r"), r)
	if again, _ := b.add(y, r); err != nil || strings.Contains(string(y), "\n") ||
		string(again) != string(y) {
		t.Errorf("%q, then %q, %v", y, again, err)
	}
	y, _ = b.add([]byte("# A\n"), r)
	y = []byte(strings.ReplaceAll(string(y), "\n", "\r")) // an editor did that
	if back, err := b.strip(y, nil); string(back) != "# A\r" {
		t.Errorf("%q, %v", back, err)
	}
	for _, text := range []string{"{ // a\r \"b\": 1\n}", "{\r}", "{}\r"} {
		for _, e := range []edit{hooksOf("claude-code"), servers{ClientByName("cursor").Server}} {
			r.Server = true
			y, err := e.add([]byte(text), r)
			if err == nil || !strings.Contains(err.Error(), "line 1") {
				t.Errorf("%q: %q, %v", text, y, err)
			}
		}
	}
}

// fakeHook writes each event to a file, and answers if it is called for OpenCode.
const fakeHook = `#!/bin/sh
cat >> %DIR/events; echo >> %DIR/events
[ "$2" = opencode ] && echo '{"hookSpecificOutput":{"hookEventName":"x",` +
	`"additionalContext":"<memory 牙>"}}'
`

// session is what OpenCode does with the plugin in a session.
const session = `
const hooks = await MemPlugin({ directory: "%DIR" })
const parts = [
  { type: "text", text: "hi" }, { type: "file" }, { type: "text", text: "no", synthetic: true },
]
await hooks["chat.message"]({ sessionID: "s1" }, { parts })
for (const session of ["s1", undefined, "s1"]) {
  const output = { system: [] }
  await hooks["experimental.chat.system.transform"]({ sessionID: session }, output)
  if (session) process.stdout.write(JSON.stringify(output.system))
}
const result = { output: "done", metadata: { exit: 0 } }
const after = hooks["tool.execute.after"]
await after({ tool: "edit", sessionID: "s1", args: { filePath: "a.go" } }, result)
await after({ tool: "todowrite", sessionID: "s1", args: {} }, result)
process.stdout.write(result.output)
await after({ tool: "bash", sessionID: "s1", args: {} }, { output: "", metadata: { exit: 3 } })`

// The plugin adds what the hook answers: to the start once, to each prompt its own, and nothing if
// the hook has no answer or does not exist.
func TestPluginRuns(t *testing.T) {
	node, err := exec.LookPath("node")
	testkit.NeedInFull(t, err == nil, "node is not installed")
	dir := t.TempDir()
	hook := filepath.Join(dir, "mem")
	write(t, hook, strings.ReplaceAll(fakeHook, "%DIR", dir))
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	const both = `["<memory 牙>","<memory 牙>"]`
	for program, want := range map[string]string{
		hook: both + both + "done\n<memory 牙>", dir + "/none": `[][]done`} {
		r := requestFor("opencode")
		r.Program = program
		source, err := plugin().add(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir+"/plugin.mjs", string(source)+strings.ReplaceAll(session, "%DIR", dir))
		out, err := exec.Command(node, dir+"/plugin.mjs").CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v: %s, want %s", program, err, out, want)
		}
	}
	events, err := os.ReadFile(dir + "/events")
	for _, want := range []string{
		`"hook_event_name":"SessionStart","source":"clear"}`,
		`"PostToolUse","tool_name":"Edit","tool_input":{"filePath":"a.go","file_path":"a.go"}}`,
		`"PostToolUseFailure","tool_name":"Bash","tool_input":{},"error":"exit code 3"}`,
		`{"session_id":"s1","cwd":` + quote(dir) +
			`,"hook_event_name":"UserPromptSubmit","prompt":"hi"}`,
	} {
		if err != nil || !strings.Contains(string(events), want) {
			t.Errorf("%v: %s not in %s", err, want, events)
		}
	}
}

// piSession is what pi does with the extension: two prompts, the second after a compaction, and an
// edit.
const piSession = `
const on = {}
MemExtension({ on: (name, fn) => (on[name] = fn) })
const ctx = { cwd: "%DIR", sessionManager: { getSessionId: () => "s1" } }
await on.session_start({ reason: "startup" }, ctx)
await on.before_agent_start({ prompt: "hi" }, ctx)
await on.session_compact({}, ctx)
const { message } = await on.before_agent_start({ prompt: "ho" }, ctx)
const content = [{ type: "text", text: "done" }]
const edit = { toolName: "edit", input: { path: "a.go" }, content, isError: false }
const result = await on.tool_result(edit, ctx)
process.stdout.write(message.content + "|" + result.content.map((part) => part.text).join("|"))`

// The extension of pi adds a start to the first prompt and to the one after a compaction, and what
// an edit brings behind the result of the tool.
func TestExtensionOfPiRuns(t *testing.T) {
	node, err := exec.LookPath("node")
	testkit.NeedInFull(t, err == nil, "node is not installed")
	dir := t.TempDir()
	r := requestFor("pi")
	r.Program = filepath.Join(dir, "mem")
	write(t, r.Program, strings.NewReplacer("%DIR", dir, "= opencode", "= pi").Replace(fakeHook))
	if err := os.Chmod(r.Program, 0o755); err != nil {
		t.Fatal(err)
	}
	source, err := plugin().add(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), "default function", "function MemExtension", 1)
	write(t, dir+"/plugin.mjs", text+strings.ReplaceAll(piSession, "%DIR", dir))
	out, err := exec.Command(node, dir+"/plugin.mjs").CombinedOutput()
	const want = "<memory 牙>\n<memory 牙>|done|<memory 牙>"
	if err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
	events := read(dir + "/events")
	for _, want := range []string{
		`"hook_event_name":"SessionStart","source":"startup"}`,
		`"hook_event_name":"SessionStart","source":"compact"}`,
		`"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"path":"a.go"}}`,
	} {
		if strings.Count(events, want) != 1 {
			t.Errorf("%s is not once in %s", want, events)
		}
	}
}

// clineSession is what Cline does with the plugin: two prompts of a resumed conversation, one of a
// sub-agent, and a call of each tool.
const clineSession = `
MemPlugin.setup({}, { session: { sessionId: "s1" }, workspaceInfo: { rootPath: "%DIR" } })
const { beforeRun, afterTool } = MemPlugin.hooks
const said = (text) => ({ content: [{ type: "text", text }] })
const messages = [said("before"), said('<user_input mode="act">hi</user_input>')]
const first = await beforeRun({ snapshot: { agentId: "a1", messages } })
const second = await beforeRun({ snapshot: { agentId: "a1", messages } })
await beforeRun({ snapshot: { agentId: "a2", parentAgentId: "a1", messages: [said("order")] } })
const after = (name, input, output) =>
  afterTool({ snapshot: { agentId: "a1" }, tool: { name }, input, result: { output } })
const edit = await after("editor", { path: "a.go" }, { success: true })
const failed = { error: "Command exited with code 3" }
await after("run_commands", { commands: ["true", "false"] }, [{ success: true }, failed])
await after("apply_patch", { input: "*** Begin Patch" }, { success: true })
await after("read_files", { files: [{ path: "b.go" }] }, [{}])
await after("search_codebase", { queries: ["x"] }, [{}])
const none = await after("skills", {}, {})
process.stdout.write([first, second, edit, none].map((a) => a.appendContext).join("|"))`

// The plugin of Cline adds the start to the first prompt and knows a resumed conversation, a
// sub-agent and the failure of one command among several.
func TestPluginOfClineRuns(t *testing.T) {
	node, err := exec.LookPath("node")
	testkit.NeedInFull(t, err == nil, "node is not installed")
	dir := t.TempDir()
	r := requestFor("cline")
	r.Program = filepath.Join(dir, "mem")
	fake := strings.NewReplacer("%DIR", dir, "= opencode", "= cline").Replace(fakeHook)
	write(t, r.Program, fake)
	if err := os.Chmod(r.Program, 0o755); err != nil {
		t.Fatal(err)
	}
	source, err := plugin().add(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), "export default", "const MemPlugin =", 1)
	write(t, dir+"/plugin.mjs", text+strings.ReplaceAll(clineSession, "%DIR", dir))
	out, err := exec.Command(node, dir+"/plugin.mjs").CombinedOutput()
	const want = "<memory 牙>\n<memory 牙>|<memory 牙>|<memory 牙>|"
	if err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
	events := read(dir + "/events")
	for _, want := range []string{
		`"SessionStart","source":"resume"}`, `"SubagentStart","agent_id":"a2"}`,
		`"PostToolUse","tool_name":"Edit","tool_input":{"path":"a.go"}}`,
		`"PostToolUse","tool_name":"Bash","tool_input":{"command":"true"}}`,
		`"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"false"},` +
			`"error":"Command exit code 3"}`,
		`"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch"}}`,
		`"tool_name":"Read","tool_input":{"path":"b.go"}}`,
		`"tool_name":"Grep","tool_input":{"pattern":"x"}}`,
	} {
		if strings.Count(events, want) != 1 {
			t.Errorf("%s is not once in %s", want, events)
		}
	}
	if strings.Count(events, `"UserPromptSubmit","prompt":"hi"}`) != 2 {
		t.Errorf("the prompts are in %s", events)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
