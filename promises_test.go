package mem_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every test that the README names for a promise exists.
func TestPromisesAreHeld(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## What mem promises\n")
	section, _, _ = strings.Cut(section, "\n## ")
	tests := declaredTests(t)
	promises := 0
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|.*$`).FindAllStringSubmatch(section, -1) {
		promises++
		names := regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z]*)`").FindAllStringSubmatch(row[0],
			-1)
		if len(names) == 0 {
			t.Errorf("promise %s names no test", row[1])
		}
		for _, name := range names {
			if !tests[name[1]] {
				t.Errorf("promise %s: there is no %s", row[1], name[1])
			}
		}
	}
	if promises != 12 {
		t.Errorf("%d promises", promises)
	}
}

// declaredTests returns the names of all tests and fuzz targets of the module.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z]+)\(`)
	for _, file := range goFiles(t) {
		if !file.test() {
			continue
		}
		for _, m := range declared.FindAllStringSubmatch(string(file.text), -1) {
			names[m[1]] = true
		}
	}
	return names
}
