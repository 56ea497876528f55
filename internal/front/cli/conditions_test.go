package cli

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/log"
)

// Each condition of a search has its flag, which is enough without words, and a session shows it.
func TestEveryConditionHasItsFlag(t *testing.T) {
	const sessionFile = "testdata/golden/search_conditions.sh"
	session, err := os.ReadFile("../../../" + sessionFile)
	if err != nil {
		t.Fatal(err)
	}
	root := command(&app.App{Build: testBuild, Getenv: func(string) string { return "" }}, nil)
	verb, _, err := root.Find([]string{"search"})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range request.Parameters(reflect.TypeFor[mem.Conditions]()) {
		name = strings.ReplaceAll(name, "_", "-")
		if verb.Flags().Lookup(name) == nil {
			t.Errorf("internal/front/cli/daily/search.go has no flag --%s", name)
			continue
		}
		if !strings.Contains(string(session), " --"+name+" ") {
			t.Errorf("%s does not show --%s", sessionFile, name)
		}
		value := "=1"
		switch f.Type {
		case reflect.TypeFor[*log.Stamp]():
			value = "=2026-02-22"
		case reflect.TypeFor[bool]():
			value = ""
		}
		var out bytes.Buffer
		args := []string{"search", "--" + name + value, "--root", t.TempDir()}
		if exit := Run(args, strings.NewReader(""), &out, &out, testBuild); exit != exitNo {
			t.Errorf("internal/front/cli/daily/search.go: mem search --%s: exit %d, %s", name, exit,
				out.String())
		}
	}
}
