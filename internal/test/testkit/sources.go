package testkit

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// sourcesOf is a template of go list: the directory of each package of this module, its embedded
// files' too, and go.mod.
const sourcesOf = `{{if and .Module .Module.Main}}{{$dir := .Dir}}{{$dir}}
{{.Module.GoMod}}
{{range .EmbedFiles}}{{$dir}}/{{.}}
{{end}}{{end}}`

// Sources shows the go command what the packages are built from, those below them included.
//
// A test's result is kept for the next run until a file changes that the test was compiled from or
// has itself looked at. What a program looks at that the test starts (go build, go list, git) does
// not count, so that the result would outlive its reason.
func Sources(t testing.TB, packages ...string) {
	t.Helper()
	shown, _ := sources.LoadOrStore(strings.Join(packages, " "), &sync.Once{})
	shown.(*sync.Once).Do(func() { show(t, packages) })
}

// sources has what was shown by now: once is enough for all tests of a package.
var sources sync.Map

func show(t testing.TB, packages []string) {
	t.Helper()
	list := append([]string{"list", "-deps", "-f", sourcesOf}, packages...)
	out, err := exec.Command("go", list...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for _, path := range strings.Fields(string(out)) {
		if look(path) == nil {
			seen++
		}
	}
	if seen == 0 {
		t.Fatalf("go list %q names no file of this module", packages)
	}
}

// look opens a directory, which stands for the size and the time of every file in it, or looks at a
// file.
func look(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return err
	}
	_, err = os.ReadDir(path)
	return err
}
