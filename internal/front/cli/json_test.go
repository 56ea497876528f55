package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// jsonArgs has the arguments of every verb after its name, for a store that seedJSON has filled.
// Each runs with --json, without anything on standard input; of these that print no object or list,
// jsonSilent has the reason.
var jsonArgs = map[string]string{
	"set": "/new 1 -s t", "rm": "/a", "approve": "/kb/one --yes", "reject": "/kb/two --yes",
	"note":    "x",
	"journal": "x --agent a", "core": "x --agent a", "forget": "/b", "import": "notes.jsonl",
	"remember": "s1 x --type finding", "event": "--session s1 --text x", "decide": "x", "task": "x",
	"handoff": "x --session s1 --to a", "artifact": "add notes.jsonl --session s1", "edit": "/c",
	"touch": "/d --tag x", "mv": "/d /e", "merge": "/f --into /g", "supersede": "/h /i",
	"pin": "m-1", "unpin": "m-1", "undo": "/i", "get": "/j", "read": "", "search": "word",
	"ls": "", "query": "{key}", "history": "/j", "diff": "/j", "log": "", "notes": "",
	"prompt": "", "memories": "--agent a", "export": "", "bundle": "--session s1 --agent a",
	"hook": "claude-code", "injections": "", "cost": "",
	"memory-tool": `{"command":"view","path":"/memories"}`,
	"setup":       "", "trust": "--list", "off": "", "on": "", "session": "list", "migrate": "",
	"doctor": "", "stat": "", "compact": "", "fsck": "", "audit": "", "config": "list",
	"init": "", "agent": "list", "where": "", "move": "/j --to project", "copy": "memory copy",
	"version": "", "project": "link",
	// These run in memd, which is not beside this program: the answer is an error.
	"serve": "", "mcp": "", "token": "list", "page": "", "space": "list", "key": "create k",
	"sync": "list", "depot": "x", "backup": "x", "restore": "x",
}

// jsonSilent are the verbs that may print nothing with exit code 0.
var jsonSilent = map[string]string{
	"hook": "a client reads its answer: nothing, or what the client asks for",
}

// Every verb that is in the tables prints JSON where --json asks for it: objects or lists on
// stdout, or else an error on stderr. A verb without arguments here fails.
func TestEveryVerbAnswersInJSON(t *testing.T) {
	for _, name := range namesOfVerbs() {
		t.Run(name, func(t *testing.T) {
			args, ok := jsonArgs[name]
			if !ok {
				t.Fatal("json_test.go: jsonArgs has no arguments for this verb")
			}
			seedJSON(t)
			answersInJSON(t, name, args, jsonSilent[name] != "")
		})
	}
}

// So it does where the store cannot be opened.
func TestEveryVerbFailsInJSON(t *testing.T) {
	for _, name := range namesOfVerbs() {
		t.Run(name, func(t *testing.T) {
			seedJSON(t)
			if err := os.WriteFile("file", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("MEM_ROOT", "file")
			answersInJSON(t, name, jsonArgs[name], jsonSilent[name] != "")
		})
	}
}

func namesOfVerbs() (names []string) {
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return append(names, DaemonVerbs()...)
}

// seedJSON makes a store with the records that jsonArgs names, in a directory of its own.
func seedJSON(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for name, value := range map[string]string{"MEM_ROOT": filepath.Join(dir, "memory"),
		"MEM_NOW": "2026-02-22T10:00:00Z", "MEM_HOOK_DEADLINE": "1m", "HOME": dir,
		"XDG_CONFIG_HOME": dir, "XDG_DATA_HOME": dir, "EDITOR": "true", "VISUAL": "true"} {
		t.Setenv(name, value)
	}
	var lines bytes.Buffer
	for i, key := range strings.Fields("/a /b /c /d /f /g /h /i /i /j /j") {
		fmt.Fprintf(&lines, `{"key":%q,"content":{"text":"word %d"},"source":"t"}`+"\n", key, i)
	}
	if err := os.WriteFile("notes.jsonl", []byte(`{"key":"/z","content":"z","source":"s"}`+"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"set", "-"}, {"note", "x"},
		{"set", "/kb/one", "1", "-s", "x", "--on-untrusted", "quarantine"},
		{"set", "/kb/two", "2", "-s", "x", "--on-untrusted", "quarantine"},
		{"session", "create", "--id", "s1"}, {"journal", "x", "--agent", "a"}} {
		var out, stderr bytes.Buffer
		if code := Run(args, bytes.NewReader(lines.Bytes()), &out, &stderr, testBuild); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, stderr.String())
		}
	}
}

// answersInJSON runs a verb, and checks what it prints.
func answersInJSON(t *testing.T, name, args string, silent bool) {
	t.Helper()
	line := slices.Concat([]string{name}, strings.Fields(args), []string{"--json"})
	var out, stderr bytes.Buffer
	code := Run(line, strings.NewReader(""), &out, &stderr, testBuild)
	t.Logf("exit %d\nstdout %s\nstderr %s", code, out.String(), stderr.String())
	answer := &out
	if out.Len() == 0 && code != exitDone {
		answer = &stderr
	}
	n := 0
	for d := json.NewDecoder(answer); ; n++ {
		var value json.RawMessage
		err := d.Decode(&value)
		if err == io.EOF {
			break
		}
		if err != nil || value[0] != '{' && value[0] != '[' {
			t.Fatalf("value %d: %v: %.80s", n+1, err, value)
		}
	}
	if n == 0 && !silent {
		t.Error("nothing was printed")
	}
}

// Without a home directory and a store here, doctor has the findings of the machine alone.
func TestDoctorWithoutStoresAnswersInJSON(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir(".mem", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"MEM_ROOT": "", "HOME": "", "XDG_DATA_HOME": "",
		"XDG_CONFIG_HOME": "", "MEM_TRUST": filepath.Join(dir, ".mem")} {
		t.Setenv(name, value)
	}
	var out, stderr bytes.Buffer
	Run([]string{"doctor", "--all", "--json"}, strings.NewReader(""), &out, &stderr, testBuild)
	if !strings.HasSuffix(out.String(), `"root":""}`+"\n") {
		t.Errorf("stdout %q, stderr %q", out.String(), stderr.String())
	}
}
