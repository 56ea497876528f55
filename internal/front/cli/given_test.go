package cli

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// givenLines are command lines that read what an argument or a flag gives, where those of jsonArgs
// with the flag do not; WORD stands for it.
var givenLines = map[string]string{
	"set 0": "set WORD -s x", "set 1": "set /a WORD -s x", "note 0": "note WORD",
	"import 0": "import WORD", "artifact add 0": "artifact add WORD", "event 0": "event WORD",
	"decide 0": "decide WORD", "handoff 0": "handoff WORD --session s1 --to a",
	"journal 0": "journal WORD --agent a", "core 0": "core WORD --agent a",
	"remember 1": "remember s1 WORD --type finding", "memory-tool 0": "memory-tool WORD",
	"hook 1":              "hook claude-code",
	"set --locator":       "set /a 1 --kind web --name x --locator WORD",
	"read --agent-prompt": "read --format private --agent a --name a --agent-prompt WORD",
}

// given are words, and the file that each gives in a form; "" none.
var given = map[app.Form]map[string]string{
	app.Dash:     {"-": "-", "@secret": "", "secret": ""},
	app.AtFile:   {"-": "-", "@secret": "secret", "secret": ""},
	app.FileName: {"-": "-", "@secret": "@secret", "secret": "secret"},
	app.Input:    {"-": "-", "@secret": "", "secret": ""},
	app.Text:     {"-": "", "@secret": "", "secret": ""},
}

// A server that runs a verb wants the texts that the verb is declared to be given, and no other:
// not one that a word seems to name.
func TestServedVerbsWantWhatIsDeclared(t *testing.T) {
	t.Parallel()
	root := t.TempDir() + "/memory"
	s, err := mem.Open(root, mem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var run func(line string) string
	run = func(line string) (file string) {
		caller := mem.Caller{Tenant: "t", Agent: "a"}
		if strings.HasPrefix(line, "approve ") { // only a person does, and what waits
			caller.Agent = ""
			run("set /kb/one 1 -s x --on-untrusted quarantine")
		}
		in := &wire.Request{Args: wire.Bytes(strings.Fields(line)), Root: "https://h/t"}
		reply, err := Serve(t.Context(), testBuild, caller,
			&app.Served{Request: in, Store: s, Clock: time.Now})
		if err != nil || reply.Exit == mem.KindBug.ExitCode() {
			t.Errorf("%s: %v, %+v", line, err, reply)
		}
		if reply.Want != nil {
			file = reply.Want.File
		}
		return file
	}
	rows := 0
	a := &app.App{Build: testBuild, Getenv: func(string) string { return "" }}
	for _, cmd := range leavesOf(command(a, nil)) {
		if !hasTrait(topWord(cmd), served) {
			continue
		}
		for name, form := range formsOf(cmd) {
			line := lineOf(cmd, name)
			other := run(strings.ReplaceAll(line, "WORD", "text")) // that another word gives
			for word, want := range given[form] {
				if want == "" {
					want = other
				}
				if got := run(strings.ReplaceAll(line, "WORD", word)); got != want {
					t.Errorf("%s: %s: the server wants %q, not %q", name, line, got, want)
				}
			}
			if form != app.Text {
				rows++
			}
		}
	}
	if rows < 30 {
		t.Errorf("%d forms are declared", rows)
	}
	answered(t, "", "fsck", "--root", root)
}

// A server parses no filter of --jq: the caller's machine does.
func TestServedVerbsParseNoFilter(t *testing.T) {
	t.Parallel()
	root := t.TempDir() + "/memory"
	s, err := mem.Open(root, mem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range namesOfVerbs() {
		if !hasTrait(name, served) {
			continue
		}
		line := append(strings.Fields(name+" "+jsonArgs[name]), "--jq", "]no filter[")
		in := &wire.Request{Args: wire.Bytes(line), Root: "https://h/t"}
		reply, err := Serve(t.Context(), testBuild, mem.Caller{Tenant: "t", Agent: "a"},
			&app.Served{Request: in, Store: s, Clock: time.Now})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, piece := range reply.Printed {
			if strings.Contains(string(piece.Text), "no filter") {
				t.Errorf("%s: %s", name, piece.Text)
			}
		}
	}
	answered(t, "", "fsck", "--root", root)
}

// leavesOf returns the commands below one that have no actions.
func leavesOf(cmd *cobra.Command) (list []*cobra.Command) {
	for _, one := range cmd.Commands() {
		if list = append(list, leavesOf(one)...); !one.HasSubCommands() {
			list = append(list, one)
		}
	}
	return list
}

// formsOf returns the forms of the first arguments of a verb, and of its flags.
func formsOf(cmd *cobra.Command) map[string]app.Form {
	forms := map[string]app.Form{}
	declared := strings.Fields(cmd.Annotations["given-by"])
	for i := range 3 {
		form := app.Text
		if i < len(declared) {
			form = app.Form(declared[i])
		}
		forms[app.Named(cmd)+" "+strconv.Itoa(i)] = form
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		form := app.Text
		if list := f.Annotations["given-by"]; list != nil {
			form = app.Form(list[0])
		}
		if f.Value.Type() != "bool" {
			forms[app.Named(cmd)+" --"+f.Name] = form
		}
	})
	return forms
}

// lineOf returns a command line with WORD in the place of an argument or of a flag's value.
func lineOf(cmd *cobra.Command, name string) string {
	if line := givenLines[name]; line != "" {
		return line
	}
	line := app.Named(cmd)
	if args, ok := jsonArgs[line]; ok {
		line += " " + args
	}
	at := strings.TrimPrefix(name, app.Named(cmd)+" ")
	if strings.HasPrefix(at, "--") {
		return line + " " + at + "=WORD"
	}
	words, first := strings.Fields(line), len(strings.Fields(app.Named(cmd)))
	i, _ := strconv.Atoi(at)
	for ; first < len(words) && i > 0 && words[first][0] != '-'; i-- {
		first++
	}
	if first < len(words) && words[first][0] != '-' {
		words = slices.Delete(words, first, first+1)
	}
	words = slices.Insert(words, first, slices.Repeat([]string{"x"}, i)...)
	return strings.Join(slices.Insert(words, first+i, "WORD"), " ")
}
