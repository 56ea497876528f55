package derive

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/text"
)

// steps reads a session: "$ works", "! fails", "? search", "e file", "r file"; "--" begins another.
func steps(script string) (list []Step) {
	session := "1"
	for line := range strings.SplitSeq(strings.TrimSpace(script), "\n") {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		s := Step{Session: session, Tool: "Bash", Command: strings.ReplaceAll(rest, "⏎", "\n")}
		switch mark {
		case "--":
			session += "1"
			continue
		case "!":
			s.Failed, s.Exit = true, 1
		case "!127":
			s.Failed, s.Exit = true, 127
		case "!143":
			s.Failed, s.Exit = true, 143
		case "?":
			s.Tool = "Grep"
		case "?!":
			s.Tool, s.Failed, s.Exit = "Grep", true, 1
		case "e":
			s.Tool, s.Command, s.Files = "Edit", "", []string{rest}
		case "r":
			s.Tool, s.Command, s.Files = "Read", "", []string{rest}
		}
		list = append(list, s)
	}
	return list
}

// cases calls do with each case of a file in testdata and what it wants. A line %% ends a case.
func cases(t *testing.T, name string, do func(text, want string)) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n%%\n") {
		text, want, ok := strings.Cut(block, "\n=> ")
		if !ok {
			t.Fatalf("%s: no => in %q", name, block)
		}
		do(text, want)
	}
}

func TestWhatWorksAfterAFailure(t *testing.T) {
	cases(t, "works.txt", func(script, want string) {
		list := Commands(steps(script))
		if len(list) != 1 || list[0].Class != "command-after-failure" ||
			!strings.Contains(list[0].Text, want) {
			t.Errorf("%s\n\tgot %v, want %s", script, list, want)
		}
	})
}

func TestNothingIsProposed(t *testing.T) {
	cases(t, "nothing.txt", func(script, _ string) {
		if list := Commands(steps(script)); len(list) != 0 {
			t.Errorf("%s\n\tgot %v", script, list)
		}
	})
}

func TestProjectCommands(t *testing.T) {
	cases(t, "commands.txt", func(script, want string) {
		list := Commands(steps(script))
		if len(list) != 1 || list[0].Class != "project-command" ||
			!strings.HasPrefix(list[0].Key+" "+list[0].Text, want) {
			t.Errorf("%s\n\tgot %v, want %s", script, list, want)
		}
	})
}

func TestFindsTheFileOfAChase(t *testing.T) {
	cases(t, "chases.txt", func(script, want string) {
		list := Commands(steps(script))
		if (want != "") != (len(list) == 1) || want != "" && !strings.Contains(list[0].Text, want) {
			t.Errorf("%s\n\tgot %v, want %s", script, list, want)
		}
	})
}

func TestSessionsAgree(t *testing.T) {
	list := Commands(steps("$ make lint\n$ make lint\n! pytest\n$ uv run pytest\n--\n" +
		"$ uv run pytest\n--\n! tsc\n$ npx tsc -b"))
	if len(list) != 3 || len(list[0].Sessions) != 2 || list[0].Evidence[1] != "uv run pytest" ||
		list[1].Class != "command-after-failure" || list[2].Key != "/project/commands/make" {
		t.Errorf("got %v", list)
	}
	list = Commands(steps("$ npm test\n$ npm test\n$ npm test\n$ npm run lint\n$ npm run lint"))
	if len(list) != 2 || list[0].Key != "/project/commands/npm" ||
		list[1].Key != "/project/commands/npm-lint" {
		t.Errorf("keys: %v", list)
	}
	var many strings.Builder
	for _, c := range strings.Fields("tsc mypy eslint black jest vitest rspec") {
		many.WriteString("$ " + c + "\n$ " + c + "\n")
	}
	if list = Commands(steps(many.String())); len(list) != 5 {
		t.Errorf("%d proposals, want 5", len(list))
	}
}

func TestDecisions(t *testing.T) {
	cases(t, "decisions.txt", func(message, want string) {
		var got []string
		for _, p := range Decisions(message) {
			got = append(got, p.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s\n\tgot %q, want %q", message, got, want)
		}
	})
}

func FuzzProposals(f *testing.F) {
	f.Add("! pytest\n$ uv run pytest\n$ uv run pytest", "## Decisions\n- one of them")
	f.Add("? rg a\x1b[31m\n? rg b\nr \x07x.go", "**Lessons:** a\u202eb\x00 and more")
	f.Add("$ make \xff\n$ make 'a", "# 결정\n"+strings.Repeat("가", 400))
	f.Fuzz(func(t *testing.T, script, message string) {
		for _, p := range append(Commands(steps(script)), Decisions(message)...) {
			if n := utf8.RuneCountInString(p.Text); n == 0 || n > 400 ||
				p.Text != text.Line(p.Text) || len(p.Evidence) == 0 ||
				strings.ContainsAny(strings.Join(p.Evidence, ""), "\x1b\x00\n\u202e") {
				t.Errorf("%q %q: %+v", script, message, p)
			}
			key := strings.TrimPrefix(p.Key, "/project/commands/")
			if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				t.Errorf("key %q", p.Key)
			}
		}
	})
}
