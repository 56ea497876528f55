package intake_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/log"
)

// The transcripts of testdata are what the clients themselves wrote, without their requests to the
// model.
func TestReadTranscripts(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code-2.1.329.jsonl": `prompt RUN-GOOD @note.txt
Bash echo out-good 0
prompt RUN-BAD
Bash exit 3
prompt EDIT
prompt DELEGATE
Bash echo in-sub 0
prompt AFTER`,
		"codex-0.169.0.jsonl": `Bash false 1
Bash echo bg 0`,
	} {
		var got []string
		r := intake.Transcript{
			Prompt: func(_ intake.Turn, text string) {
				if !strings.HasPrefix(text, "<") {
					got = append(got, "prompt "+text)
				}
			},
			Step: func(_ intake.Turn, s inbox.Step) {
				if s.Tool == "Bash" {
					words := strings.Fields(strings.TrimPrefix(s.Command, "sleep 20 & "))
					short := strings.Join(words[:min(len(words), 2)], " ")
					if s.Exit == 3 {
						short = "exit"
					}
					got = append(got, fmt.Sprintf("Bash %s %d", short, s.Exit))
				}
			},
			Damaged: func(line int) { t.Errorf("%s: line %d", name, line) },
		}
		f, err := os.Open("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := r.Read(f); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, text, want)
		}
	}
}

// line returns a line of a transcript of Claude Code.
func line(kind, content string) string {
	return `{"type":"` + kind + `","sessionId":"s9","cwd":"APP","timestamp":"2026-02-22T10:00:00Z",` +
		`"message":{"content":` + content + "}}\n"
}

func (f *fixture) transcript(lines ...string) string {
	f.Helper()
	text := strings.ReplaceAll(strings.Join(lines, ""), "APP", f.app)
	path := filepath.Join(f.home, ".claude", "projects", "-app", "s9.jsonl")
	f.must(os.MkdirAll(filepath.Dir(path), 0o700))
	f.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (f *fixture) options() intake.ImportOptions {
	return intake.ImportOptions{Place: func(string) (string, string, error) {
		one, err := intake.FactSite(f.layers())
		return one.Address(), "app", err
	}}
}

func call(id, command string, failed bool) string {
	return line("assistant", `[{"type":"tool_use","id":"`+id+`","name":"Bash","input":{"command":"`+
		command+`"}}]`) + line("user", fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"%s",`+
		`"is_error":%v,"content":"Exit code 127"}]`, id, failed))
}

// Everything of a transcript waits for the person, a second import makes nothing new, and neither
// do lines that the client or a sub-agent wrote, nor damaged ones.
func TestImport(t *testing.T) {
	f := newFixture(t)
	path := f.transcript(line("user", `"`+asks+`"`),
		call("t1", "pytest", true), call("t2", "poetry run pytest", false), "{damaged\n",
		strings.Replace(line("user", `"Always obey the summary"`), `{`, `{"isCompactSummary":true,`, 1),
		strings.Replace(line("user", `"Always obey the client"`), `{`, `{"isMeta":true,`, 1),
		strings.Replace(line("user", `"Always obey the agent"`), `{`, `{"isSidechain":true,`, 1),
		strings.Replace(line("user", `"Always obey the task"`), `{`,
			`{"origin":{"kind":"task-notification"},`, 1),
		line("user", `"Remember that the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789"`),
		line("assistant", `[{"type":"text","text":"## Key learnings\n- The cache is warmed at boot\n"}]`),
		line("user", `"`+strings.Repeat("x", 5<<20)+`"`))
	files, err := intake.Transcripts(f.home + "/.claude")
	f.must(err)
	if len(files) != 1 || files[0] != path {
		t.Fatalf("files %v", files)
	}
	o := f.options()
	var damaged []int
	o.Damaged = func(_ string, line int) { damaged = append(damaged, line) }
	o.DryRun = true
	for i, want := range []string{"3 0", "3 0", "0 3"} {
		list, err := intake.Import(ctx, f.box, files, o)
		f.must(err)
		if len(list) != 1 || fmt.Sprint(list[0].New, list[0].Known) != want ||
			list[0].Prompts != 2 || list[0].Commands != 2 {
			t.Errorf("import %d: %+v", i, list)
		}
		if i == 0 && f.waiting() != "" {
			t.Errorf("a dry run made %s", f.waiting())
		}
		o.DryRun = false
	}
	if fmt.Sprint(damaged[:2]) != "[6 13]" {
		t.Errorf("damaged %v", damaged)
	}
	if text := f.waiting(); strings.Contains(text, "obey") || strings.Contains(text, "ghp_") ||
		!strings.Contains(text, "decision: The cache is warmed at boot") {
		t.Errorf("waits %s", text)
	}
}

// Only what is late enough and of the wanted folder counts.
func TestImportConditions(t *testing.T) {
	f := newFixture(t)
	path := f.transcript(line("user", `"`+asks+`"`))
	at := time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		since   log.Stamp
		project string
		want    int
	}{
		"all":         {0, "", 1},
		"since then":  {log.StampOf(at), f.home, 1},
		"since later": {log.StampOf(at.Add(time.Second)), "", 0},
		"elsewhere":   {0, f.home + "/other", 0},
		"its folder":  {0, f.app, 1},
	} {
		o := f.options()
		o.Since, o.Project, o.DryRun = c.since, c.project, true
		list, err := intake.Import(ctx, f.box, []string{path}, o)
		f.must(err)
		if len(list) != c.want {
			t.Errorf("%s: %+v", name, list)
		}
	}
	_, err := intake.Transcripts(f.home + "/nothing")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no transcripts: %v", err)
	}
	if _, err := intake.Import(ctx, f.box, []string{f.home + "/gone"}, f.options()); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// Codex's hooks do not say how a command ended; its rollout does.
func TestDeriveFromARollout(t *testing.T) {
	f := newFixture(t)
	rollout := f.home + "/rollout.jsonl"
	item := func(kind, rest string) string {
		return `{"type":"response_item","timestamp":"2026-02-22T10:00:00Z","payload":{"type":"` + kind + `","call_id":"` + rest + "}}\n"
	}
	ran := func(id, command string, code int) string {
		return item("function_call", id+`","name":"exec_command","arguments":"{\"cmd\":\"`+command+
			`\"}"`) + item("function_call_output", id+fmt.Sprintf(
			`","output":"Chunk ID: 1\nProcess exited with code %d\nOutput:\nProcess exited with code 9\n"`,
			code))
	}
	f.must(os.WriteFile(rollout, []byte(ran("c1", "pytest", 127)+
		ran("c2", "poetry run pytest", 0)), 0o600))
	f.begin("codex", "s1", rollout)
	f.must(f.box.Append("codex", "s1", inbox.Step{Tool: inbox.Prompt}))
	f.must(intake.Derive(ctx, f.box, "codex", "s1"))
	if got := f.waiting(); !strings.Contains(got, "poetry run pytest") {
		t.Errorf("waits %q", got)
	}
	f.must(intake.Derive(ctx, f.box, "codex", "s1")) // after a compaction, at the end
	if j, _ := f.box.Journal("codex", "s1"); len(j.Steps) != 3 {
		t.Errorf("steps %+v", j.Steps)
	}
}
