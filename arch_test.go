package mem_test

import (
	"cmp"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/test/testkit"
)

// floors are the floors of the house, from the top: a package imports of the floors below its own,
// and of its own. README.md draws the same picture.
var floors = []struct {
	name     string
	packages string // patterns of path.Match
}{
	{"cmd", "cmd/*"},
	{"front", "internal/front/* internal/front/cli/*"},
	{"view", "internal/view/* internal/view/exchange/* internal/view/transfer/*"},
	{"mem", "."},
	{"rule", "internal/rule/* compact internal/store/upkeep"}, // upkeep joins a store and compact
	{"store", "internal/store/* internal/store/fts/*"},
	{"forms", "readout index"},
	// The parts of base that know records, and the lock.
	{"content", "internal/base/content internal/base/jsonfile"},
	{"log", "log"},
	{"keypath", "keypath"},
	{"base", "internal/base/*"},
}

const module = "github.com/set-memory/mem"

// Beside the floors: a package of tests, or one that only tests import.
const beside = "internal/test/* internal/rule/secret/shape"

// byWay are the imports that no floor allows, each with its reason.
var byWay = map[string]string{
	"internal/front/cli/tidy -> internal/store/fsck": "help and hints name its checks",
	"internal/front/cli/daily -> internal/store/fts": "--why names the parts of a score",

	"internal/front/serve -> internal/store/pgstore":      "a database has tenants and tokens",
	"internal/front/cli/server -> internal/store/pgstore": "memd opens what a URL names",
}

// floorOf returns the floor of a package, counted from the top; -1 for what stands beside them.
func floorOf(t *testing.T, pkg string) int {
	t.Helper()
	in := func(patterns string) bool {
		return slices.ContainsFunc(strings.Fields(patterns), func(pattern string) bool {
			ok, err := path.Match(pattern, cmp.Or(pkg, "."))
			return ok && err == nil
		})
	}
	if in(beside) || strings.HasPrefix(pkg, "scripts/") {
		return -1
	}
	for i, floor := range floors {
		if in(floor.packages) {
			return i
		}
	}
	t.Errorf("package %q stands on no floor", pkg)
	return -1
}

func TestArrowsPointDown(t *testing.T) {
	used := map[string]bool{}
	for pkg, imports := range moduleImports(t) {
		from := floorOf(t, pkg)
		for _, imp := range imports {
			to := floorOf(t, imp)
			arrow := pkg + " -> " + imp
			switch {
			case from < 0 || to >= from && !skipsSeam(pkg, imp) && !joinsVerbs(pkg, imp):
			case byWay[arrow] != "":
				used[arrow] = true
			case to < 0:
				t.Errorf("%s: a test helper in the product", arrow)
			default:
				t.Errorf("%s: %s does not import that of %s", arrow, floors[from].name,
					floors[to].name)
			}
		}
	}
	for arrow := range byWay {
		if !used[arrow] {
			t.Errorf("%s: take it off the list", arrow)
		}
	}
}

// skipsSeam reports whether a front or a view reaches past the Store: of the store floor it uses
// the types of the seam alone.
func skipsSeam(pkg, imp string) bool {
	above := strings.HasPrefix(pkg, "internal/view/") || strings.HasPrefix(pkg, "internal/front/")
	return above && strings.HasPrefix(imp, "internal/store/") && imp != "internal/store/backend"
}

// joinsVerbs reports whether packages of the command line import in the wrong direction: the
// packages of verbs import what they share, and not each other.
func joinsVerbs(pkg, imp string) bool {
	const verbs = "internal/front/cli/"
	shared := []string{verbs + "app", verbs + "term", verbs + "draft", verbs + "erase"}
	return strings.HasPrefix(pkg, verbs) && strings.HasPrefix(imp+"/", verbs) &&
		(!slices.Contains(shared, imp) || slices.Contains(shared, pkg) && imp == verbs+"erase")
}

// moduleImports asks the go command which packages of the module each package imports, tests left
// out.
func moduleImports(t *testing.T) map[string][]string {
	t.Helper()
	testkit.Sources(t, "./...")
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		"./...").Output()
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
	if len(found) < 40 {
		t.Fatalf("go list names only %d packages", len(found))
	}
	return found
}

func local(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }

// The hot path stays lean: what a start of mem would pay for in initialization may not be linked
// in. Nor may what opens sealed content, which is for the daemon alone.
func TestNothingHeavyIsLinked(t *testing.T) {
	testkit.Sources(t, "./cmd/mem")
	out, err := exec.Command("go", "list", "-deps", "./cmd/mem").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []string{"net/http", "crypto/tls", "crypto/x509",
		"archive/tar", "os/user",
		"github.com/tiktoken-go/tokenizer", "filippo.io/age", "github.com/prometheus/",
		"github.com/modelcontextprotocol/", module + "/internal/front/serve",
		module + "/internal/base/seal", module + "/internal/front/mcp",
		module + "/internal/front/page", module + "/internal/store/pgstore", "github.com/jackc/"} {
		for _, dep := range deps {
			if dep == heavy || strings.HasPrefix(dep, strings.TrimSuffix(heavy, "/")+"/") {
				t.Errorf("cmd/mem links %s", dep)
			}
		}
	}
}

// The process ends, prints and reads the clock in one place each.
func TestOnePlaceFor(t *testing.T) {
	for pattern, files := range map[string]string{
		`os\.Exit|log\.Fatal`: "cmd/mem/main.go cmd/memd/main.go",
		`fmt\.Print(f|ln)?\(`: "",
		`time\.Now(\(\)|[^a-zA-Z])`: "internal/front/cli/app/app.go internal/front/cli/app/memd.go " +
			"internal/front/cli/app/progress.go internal/store/pgstore/store.go store.go",
	} {
		found := regexp.MustCompile(pattern)
		for _, file := range goFiles(t) {
			if file.product() && found.Match(file.text) &&
				!slices.Contains(strings.Fields(files), file.path) {
				t.Errorf("%s has %s", file.path, pattern)
			}
		}
	}
}

// maxColumns is the width of a line of Go, a tab being 4. Raw strings do not count, for they cannot
// be broken, nor does what is generated.
const maxColumns = 100

// wideLines are the packages that still have wider lines; their tests are listed for themselves.
var wideLines = []string{
	"internal/test/e2e tests",
	"readout",
	"scripts/bench",
	"scripts/bench tests",
	"scripts/clients",
	"scripts/clients tests",
	"scripts/recall",
	"scripts/recall tests",
	"internal/rule/secret/shape",
	"tools/gitleaks",
}

func TestLinesAreNotWide(t *testing.T) {
	wide := map[string]bool{}
	for _, file := range goFiles(t) {
		part := file.dir()
		if file.test() {
			part += " tests"
		}
		for i, line := range strings.Split(withoutRawStrings(file.text), "\n") {
			if columns := utf8.RuneCountInString(line) +
				3*strings.Count(line, "\t"); columns <= maxColumns {
				continue
			}
			wide[part] = true
			if !slices.Contains(wideLines, part) {
				t.Errorf("%s:%d is wider than %d columns", file.path, i+1, maxColumns)
			}
		}
	}
	for _, part := range wideLines {
		if !wide[part] {
			t.Errorf("%q has no wide lines: take it off the list", part)
		}
	}
}

// withoutRawStrings returns a file's text with nothing in place of raw strings but their line ends.
func withoutRawStrings(text []byte) string {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	var b strings.Builder
	done := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			b.Write(text[done:])
			return b.String()
		}
		if tok == token.STRING && lit[0] == '`' {
			b.Write(text[done:file.Offset(pos)])
			b.WriteString(strings.Repeat("\n", strings.Count(lit, "\n")))
			done = file.Offset(pos) + len(lit)
		}
	}
}

type goFile struct {
	path string
	text []byte
}

func (f goFile) dir() string { return path.Dir(f.path) }

func (f goFile) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// product reports whether a file is part of what users run.
func (f goFile) product() bool {
	for _, dir := range []string{"scripts/", "tools/", "internal/test/"} {
		if strings.HasPrefix(f.path, dir) {
			return false
		}
	}
	return !f.test()
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// goFiles returns the Go files that people write.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(name) > 1 && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil && !generated.Match(text) {
			files = append(files, goFile{filepath.ToSlash(name), text})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A module has no two files whose paths only case tells apart: go install would refuse all of it.
// Directories with a go.mod of their own are not part of the module.
func TestPathsDifferInMoreThanCase(t *testing.T) {
	seen, n := map[string]string{}, 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if path != "." && (err == nil || e.Name() == ".git") {
				return fs.SkipDir
			}
		}
		if other, ok := seen[strings.ToLower(path)]; ok {
			t.Errorf("%s and %s", other, path)
		}
		seen[strings.ToLower(path)], n = path, n+1
		return nil
	})
	if err != nil || n < 1000 {
		t.Errorf("%d paths, %v", n, err)
	}
}
