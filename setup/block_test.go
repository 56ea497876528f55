package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/testkit"
	"pgregory.net/rapid"
)

func TestBlocks(t *testing.T) {
	b := guidance
	old := "<!-- mem:begin -->\nold\n<!-- mem:end -->"
	now := "<!-- mem:begin -->\n# Memory\n<!-- mem:end -->"
	for _, c := range []struct{ name, text, want string }{
		{"no file", "", now + "\n"},
		{"a line end", "# Rules\n", "# Rules\n\n" + now + "\n"},
		{"no line end", "# Rules", "# Rules\n\n" + now},
		{"CRLF", "# Rules\r\n", "# Rules\r\n\r\n" + strings.ReplaceAll(now, "\n", "\r\n") + "\r\n"},
		{"an old block", "a\n" + old + "\nb", "a\n" + now + "\nb"},
		{"marks within a line are text", "see <!-- mem:begin --> there\n", "see <!-- mem:begin --> there\n\n" + now + "\n"},
	} {
		got, err := b.add([]byte(c.text), claude)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %q\nwant %q", c.name, err, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"a\n<!-- mem:begin -->\n":           "line 2, column 1: <!-- mem:begin --> without <!-- mem:end --> after it",
		"<!-- mem:end -->\n" + "x":          "line 1, column 1: <!-- mem:end --> without <!-- mem:begin --> before it",
		old + "\n\n" + old:                  "line 5, column 1: a second <!-- mem:begin -->",
		"<!-- mem:begin -->\r\nx mem:end -": "line 1, column 1: <!-- mem:begin --> without <!-- mem:end --> after it",
	} {
		if _, err := b.add([]byte(text), claude); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if _, err := b.strip([]byte(text), nil); err == nil || err.Error() != want {
			t.Errorf("strip of %q: %v, want %s", text, err, want)
		}
	}
}

func TestBlocksGiveBackEveryByte(t *testing.T) {
	blocks := []block{guidance, cursorRule(), plugin(pluginSource)}
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom(blocks).Draw(t, "block")
		x := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "\n", "\r\n", "\n\n", "\ufeff", " ", "# Rüles 牙", "<!-- mem:begin -->x"})).Draw(t, "text"), "")
		y, err := b.add([]byte(x), claude)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := b.add(y, claude); err != nil || string(again) != string(y) {
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

// The plugin hands on what the hook says: the start once, each prompt's own, and nothing where the hook says nothing or is not there.
func TestPluginRuns(t *testing.T) {
	node, err := exec.LookPath("node")
	testkit.NeedInFull(t, err == nil, "node is not installed")
	dir := t.TempDir()
	hook := filepath.Join(dir, "mem")
	write(t, hook, "#!/bin/sh\ncat >> "+dir+"/asked; echo >> "+dir+"/asked\n[ \"$2\" = opencode ] && echo '{\"hookSpecificOutput\":{\"hookEventName\":\"x\",\"additionalContext\":\"<said 牙>\"}}'\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{hook: `["<said 牙>","<said 牙>"]["<said 牙>","<said 牙>"]`, dir + "/none": `[][]`} {
		ask := asked("opencode")
		ask.Program = program
		source, err := plugin(pluginSource).add(nil, ask)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir+"/plugin.mjs", string(source)+`
const hooks = await MemPlugin({ directory: `+quote(dir)+` })
await hooks["chat.message"]({ sessionID: "s1" }, { parts: [{ type: "text", text: "hi" }, { type: "file" }, { type: "text", text: "no", synthetic: true }] })
for (const session of ["s1", undefined, "s1"]) {
  const output = { system: [] }
  await hooks["experimental.chat.system.transform"]({ sessionID: session }, output)
  if (session) process.stdout.write(JSON.stringify(output.system))
}`)
		out, err := exec.Command(node, dir+"/plugin.mjs").CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v: %s, want %s", program, err, out, want)
		}
	}
	asked, err := os.ReadFile(dir + "/asked")
	for _, want := range []string{`"hook_event_name":"SessionStart"}`, `{"session_id":"s1","cwd":` + quote(dir) + `,"hook_event_name":"UserPromptSubmit","prompt":"hi"}`} {
		if err != nil || !strings.Contains(string(asked), want) {
			t.Errorf("%v: %s not in %s", err, want, asked)
		}
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
