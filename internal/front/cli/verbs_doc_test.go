package cli

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/server"
	"github.com/set-memory/mem/internal/front/cli/sync"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var updateVerbs = flag.Bool("update", false, "rewrite docs/verbs.md")

// docs/verbs.md begins with the table of README.md, and lists every verb with its flags, as the
// verbs declare them, those of memd among them.
func TestVerbsDocumentIsCurrent(t *testing.T) {
	const path = "../../../docs/verbs.md"
	have, err := os.ReadFile(path)
	if err != nil && !*updateVerbs {
		t.Fatal(err)
	}
	want := verbsDocument(dailyTable(t))
	if n := strings.Count(want, "\n| `mem "); n < len(verbs)-5 {
		t.Errorf("only %d verbs", n)
	}
	if string(have) == want {
		return
	}
	if !*updateVerbs {
		t.Fatal("docs/verbs.md is stale; go test ./internal/front/cli -run VerbsDocument -update " +
			"rewrites it")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// dailyTable returns the table of the verbs of daily use, as README.md has it.
func dailyTable(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Day by day\n\n")
	if table, _, _ = strings.Cut(table, "\n\n"); !strings.HasPrefix(table, "| command |") {
		t.Fatal("README.md: no table below the heading Day by day")
	}
	return table
}

func verbsDocument(daily string) string {
	build := testBuild
	build.Verbs = maps.Clone(server.Verbs)
	maps.Copy(build.Verbs, sync.Verbs)
	root := command(&app.App{Build: build, Getenv: func(string) string { return "" }}, nil)
	var text strings.Builder
	text.WriteString("# Verbs\n\nFor people who look for a verb or a flag; " +
		"`mem help VERB` explains each, with examples.\n\n## Day by day\n\n" + daily +
		"\n\n[All verbs](#first-page-of-help) with their flags follow, in the groups of " +
		"`mem --help`;\nthe [last table](#flags-of-every-verb) has the flags of every verb.\n\n" +
		"## First page of help\n\n" + verbTable(root, firstPage))
	for _, g := range groups {
		fmt.Fprintf(&text, "\n## %s\n\nThe group `%s`: %s.\n\n%s", strings.ToUpper(g.name[:1])+
			g.name[1:], g.name, g.short, verbTable(root, g.name))
	}
	text.WriteString("\n## Flags of every verb\n\n| flag | effect |\n|---|---|\n")
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		fmt.Fprintf(&text, "| `--%s` | %s |\n", f.Name, cell(f.Usage))
	})
	return text.String()
}

// verbTable has a row for each verb of a group: its usage, its job and its flags.
func verbTable(root *cobra.Command, group string) string {
	text := "| verb | effect | flags |\n|---|---|---|\n"
	for _, name := range verbNames() {
		cmd, _, err := root.Find([]string{name})
		if err != nil || cmd.GroupID != group || cmd.Name() != name {
			continue
		}
		text += verbRow(cmd)
		for _, sub := range cmd.Commands() {
			text += verbRow(sub)
		}
	}
	return text
}

func verbRow(cmd *cobra.Command) string {
	var flags []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			flags = append(flags, "`--"+f.Name+"`")
		}
	})
	use := strings.TrimPrefix(cmd.CommandPath()+strings.TrimPrefix(cmd.Use, cmd.Name()), "mem ")
	return fmt.Sprintf("| `mem %s` | %s | %s |\n", cell(use), cell(cmd.Short),
		strings.Join(flags, " "))
}

// cell escapes a text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
