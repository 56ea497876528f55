package settings_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/readout"
)

// documented returns the table of docs/config.md: of each member that has an effect, with those
// that its words are about too.
func documented() string {
	var names, defaults []string
	var doc, by string
	var out strings.Builder
	end := func() {
		if doc != "" {
			fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", strings.Join(names, ", "),
				strings.Join(defaults, ", "), by, doc)
		}
	}
	for _, m := range settings.Members {
		if m.Without != "" {
			continue
		}
		if m.Doc != "" {
			end()
			names, defaults, doc, by = nil, nil, m.Doc, deciders[m.By]
		}
		usual := strings.TrimSuffix("`"+m.Default+"`", "``")
		for _, k := range m.Kinds {
			usual += fmt.Sprintf(", %s `%s`", k.Name, k.Default)
		}
		names = append(names, "`"+strings.Replace(m.Name, settings.Any, "TYPE", 1)+"`")
		defaults = append(defaults, strings.TrimPrefix(usual, ", "))
	}
	end()
	return out.String()
}

// deciders has the words of the documentation. A row that names no decider has none.
var deciders = map[settings.Decider]string{settings.Anybody: "anybody", settings.Person: "a person",
	settings.Answered: "a person, in scripts with `--yes`"}

var update = flag.Bool("update", false, "write the table of docs/config.md anew")

// The table of docs/config.md is that of the members.
func TestMembersAreDocumented(t *testing.T) {
	const path = "../../../docs/config.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`(?m)(^\| member .*\n\|---\|---\|---\|---\|\n)((?:\|.*\n)*)`)
	want := table.ReplaceAllString(string(text), "${1}"+strings.ReplaceAll(documented(), "$", "$$"))
	switch {
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case want != string(text):
		t.Errorf("docs/config.md is stale: go test ./internal/rule/settings -update writes\n%s",
			documented())
	}
}

// Every member names its decider, and the members that rule injection are a person's.
func TestDeciders(t *testing.T) {
	for _, m := range settings.Members {
		injects := strings.HasPrefix(m.Name, "inject.") || strings.HasPrefix(m.Name, "memory.")
		if deciders[m.By] == "" || injects && m.By != settings.Person {
			t.Errorf("%s: %d", m.Name, m.By)
		}
	}
}

// Every default is one that the member may have, and fills the field that it is the default of.
func TestDefaults(t *testing.T) {
	c := settings.Default()
	list, err := c.Settings("")
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("{}")
	for _, x := range list {
		if string(x.Value) != string(x.Default) || x.Origin != "default" {
			t.Errorf("%s is %s of %s, want %s", x.Name, x.Value, x.Origin, x.Default)
		}
		var left error
		if text, left, err = settings.Change(text, x.Name, x.Text()); err != nil || left != nil {
			t.Errorf("%s %s: %v, %v", x.Name, x.Text(), left, err)
		}
	}
	said, err := settings.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	// The file says of a type without a half-life what counts for it.
	said.Decay.TypeSpecific["preference"] = c.Decay.TypeSpecific["preference"]
	if got, want := shown(said), shown(c); got != want {
		t.Errorf("with every default in the file:\n%s\nwant\n%s", got, want)
	}
	if c.Weights != readout.DefaultWeights {
		t.Errorf("weights %v, want %v", c.Weights, readout.DefaultWeights)
	}
}

// shown returns the fields of a configuration.
func shown(c *settings.Config) string {
	return fmt.Sprintf("%+v %v %+v %+v %+v %+v %+v %+v", c.Rotate, c.AutoCompact, c.Rules,
		c.Weights, c.Memory, c.Inject, c.Storage, c.Decay)
}
