package mem_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// house is the package map: what each package of the module may import of the others. Arrows point down only.
var house = map[string][]string{
	"jsontext": {},
	"disk":     {},
	"keypath":  {},
	"log":      {"disk", "jsontext", "keypath"},
	"content":  {"jsontext", "log"},
	"index":    {"disk", "keypath", "log"},
	"secret":   {"jsontext"},
	// For tests and comparisons only.
	"secret/shape": {},
	"policy":       {"jsontext", "keypath", "log", "secret"},
	"readout":      {"content", "jsontext", "keypath", "log"},
	"sidecar":      {"disk"},
	"columns":      {"content", "disk", "jsontext", "keypath", "log", "sidecar"},
	"exchange":     {"jsontext", "keypath", "log"},
	"fts":          {"content", "disk", "jsontext", "keypath", "log", "sidecar"},
	"setup":        {},
	"compact":      {"columns", "content", "disk", "fts", "index", "jsontext", "keypath", "log"},
	"": {"compact", "content", "disk", "exchange", "fts", "index", "jsontext", "keypath", "log",
		"policy", "readout", "secret"},
	"hook":    {"", "jsontext", "log", "readout"},
	"cmd/mem": {"", "hook", "compact", "content", "disk", "exchange", "fts", "jsontext", "keypath", "log", "policy", "readout", "setup"},
}

const module = "github.com/set-memory/mem"

func TestArrowsPointDown(t *testing.T) {
	for room, imports := range moduleImports(t) {
		allowed, known := house[room]
		if !known && !strings.HasPrefix(room, "scripts/") {
			t.Errorf("package %q is not on the package map", room)
		}
		for _, imp := range imports {
			if known && !slices.Contains(allowed, imp) {
				t.Errorf("%q imports %q, which the package map does not allow", room, imp)
			}
		}
	}
}

// moduleImports asks the go command which packages of the module each package imports, tests left out.
func moduleImports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		room := local(fields[0])
		found[room] = []string{}
		for _, imp := range fields[1:] {
			if strings.HasPrefix(imp, module) {
				found[room] = append(found[room], local(imp))
			}
		}
	}
	if len(found) < len(house) {
		t.Fatalf("go list names %d packages, the map %d", len(found), len(house))
	}
	return found
}

func local(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }

// The hot path stays lean: what a start of mem would pay for in initialization may not be linked in.
func TestNothingHeavyIsLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/mem").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []string{"net/http", "crypto/tls", "crypto/x509", "github.com/tiktoken-go/tokenizer"} {
		if slices.Contains(deps, heavy) {
			t.Errorf("cmd/mem links %s", heavy)
		}
	}
}

// The process ends, prints and reads the clock in one place each.
func TestOnePlaceFor(t *testing.T) {
	for pattern, files := range map[string]string{
		`os\.Exit|log\.Fatal`:       "cmd/mem/main.go",
		`fmt\.Print(f|ln)?\(`:       "",
		`time\.Now(\(\)|[^a-zA-Z])`: "cmd/mem/app.go cmd/mem/progress.go store.go",
	} {
		out, _ := exec.Command("git", "grep", "-lE", pattern, "--", "*.go", ":!*_test.go", ":!scripts", ":!tools").Output()
		for _, file := range strings.Fields(string(out)) {
			if !slices.Contains(strings.Fields(files), file) {
				t.Errorf("%s has %s", file, pattern)
			}
		}
	}
}
