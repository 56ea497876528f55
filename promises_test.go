package mem_test

import (
	"go/build"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/promises.md names exists, and runs in CI: it is built there, and asks
// testkit.Need, which fails where CI=1, for whatever it needs of a machine.
func TestPromisesAreHeld(t *testing.T) {
	section, err := os.ReadFile("docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := declaredTests(t)
	promises := 0
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|.*$`).FindAllStringSubmatch(string(
		section), -1) {
		promises++
		names := regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z]*)`").FindAllStringSubmatch(row[0],
			-1)
		if len(names) == 0 {
			t.Errorf("promise %s names no test", row[1])
		}
		for _, name := range names {
			if file, ok := tests[name[1]]; !ok {
				t.Errorf("promise %s: there is no %s", row[1], name[1])
			} else if why := notRun(t, file); why != "" {
				t.Errorf("promise %s: %s does not run: %s %s", row[1], name[1], file.path, why)
			}
		}
	}
	if promises != 14 {
		t.Errorf("%d promises", promises)
	}
}

// Every test exists that SECURITY.md and the threat model name.
func TestDefencesAreTested(t *testing.T) {
	tests := declaredTests(t)
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z]*)`")
	for _, doc := range []string{"SECURITY.md", "docs/threat-model.md"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		names := named.FindAllStringSubmatch(string(text), -1)
		if len(names) < 20 {
			t.Errorf("%s names only %d tests", doc, len(names))
		}
		for _, name := range names {
			if _, ok := tests[name[1]]; !ok {
				t.Errorf("%s: there is no %s", doc, name[1])
			}
		}
	}
}

// declaredTests returns the files of all tests and fuzz targets of the module.
func declaredTests(t *testing.T) map[string]goFile {
	t.Helper()
	tests := map[string]goFile{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z]+)\(`)
	for _, file := range goFiles(t) {
		if !file.test() {
			continue
		}
		for _, m := range declared.FindAllStringSubmatch(string(file.text), -1) {
			tests[m[1]] = file
		}
	}
	return tests
}

// notRun says why the tests in a file may not run in CI, on Linux; "" for no reason. A fuzz target
// may skip an input, as a draw may.
func notRun(t *testing.T, f goFile) string {
	t.Helper()
	ci := build.Default
	ci.GOOS, ci.GOARCH = "linux", "amd64"
	built, err := ci.MatchFile(path.Dir(f.path), path.Base(f.path))
	if err != nil {
		t.Fatal(err)
	}
	if !built {
		return "is not built on Linux"
	}
	for fn := range strings.SplitSeq(string(f.text), "\nfunc ") {
		head, body, _ := strings.Cut(fn, "\n")
		if strings.HasPrefix(head, "Fuzz") || strings.Contains(head, "*rapid.T") {
			continue
		}
		if skip := skipping.FindString(body); skip != "" {
			return "has " + skip
		}
	}
	return ""
}

var skipping = regexp.MustCompile(`\.Skip(?:f|Now)?\(`)

// Every file that a document links to is there.
func TestLinksLead(t *testing.T) {
	docs, err := filepath.Glob("docs/*.md")
	if err != nil || len(docs) < 10 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	link := regexp.MustCompile(`\]\(([^)#:\s]+)[)#]`)
	links := 0
	for _, doc := range append(docs, "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s: %v", doc, err)
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links", links)
	}
}

// Each step of the walks of CONTRIBUTING.md names a function, and the file that has it.
func TestWalksLead(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	step := regexp.MustCompile("(?m)^[0-9]+\\. \\[[a-z_]+\\.go\\]\\(([^)]+)\\) `([A-Za-z]+)`: ")
	steps := step.FindAllStringSubmatch(string(text), -1)
	for _, m := range steps {
		source, err := os.ReadFile(m[1])
		if err != nil {
			t.Error(err)
		}
		if !regexp.MustCompile(`(?m)^func (\([^)]+\) )?` + m[2] + `\(`).Match(source) {
			t.Errorf("%s has no function %s", m[1], m[2])
		}
	}
	if len(steps) != 30 {
		t.Errorf("%d steps, want three walks of ten", len(steps))
	}
}
