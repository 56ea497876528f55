package testkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const top = "../../.."

// The list of scripts/race.txt has every package that starts goroutines, and the pattern of a
// package selects a test of every function of its tests that does.
func TestRaceListIsComplete(t *testing.T) {
	text, err := os.ReadFile(top + "/scripts/race.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if pkg, pattern, _ := strings.Cut(strings.TrimSpace(line), " "); pkg != "#" && pkg != "" {
			listed[filepath.Clean(pkg)] = pattern
		}
	}
	found := concurrentPackages(t)
	for dir, p := range found {
		pattern, ok := listed[dir]
		if !ok && !strings.HasPrefix(dir, "scripts/") {
			t.Errorf("%s starts goroutines and is not in scripts/race.txt", dir)
		}
		for name := range p.starts {
			if ok && p.isReached(name, regexp.MustCompile("")) &&
				!p.isReached(name, regexp.MustCompile(pattern)) {
				t.Errorf("%s: the pattern selects no test of %s, which starts a goroutine",
					dir, name)
			}
		}
	}
	// The goroutines at a memstore are those of storetest, and those of the verbs are of cli/app.
	elsewhere := []string{"internal/store/memstore", "internal/front/cli"}
	for dir := range listed {
		if found[dir] == nil && !slices.Contains(elsewhere, dir) {
			t.Errorf("%s is in scripts/race.txt and starts no goroutine", dir)
		}
	}
	if len(found) < 20 || len(listed) < 20 {
		t.Errorf("%d packages start goroutines, %d are listed", len(found), len(listed))
	}
}

// concurrency says where the goroutines of a package start.
type concurrency struct {
	isConcurrent bool
	hasTests     bool
	starts       map[string]bool            // the functions of its tests that start one
	uses         map[string]map[string]bool // the names that each function of its tests mentions
}

// isReached reports whether a test that the pattern selects mentions the function, by way of
// others too.
func (c *concurrency) isReached(name string, pattern *regexp.Regexp) bool {
	seen := map[string]bool{}
	var visit func(string) bool
	visit = func(at string) bool {
		if at == name {
			return true
		}
		if seen[at] {
			return false
		}
		seen[at] = true
		return slices.ContainsFunc(slices.Collect(maps.Keys(c.uses[at])), visit)
	}
	for test := range c.uses {
		isRun := test == "TestMain" || strings.HasPrefix(test, "Test") && pattern.MatchString(test)
		if isRun && visit(test) {
			return true
		}
	}
	return false
}

// concurrentPackages returns the packages of this module that start goroutines, by directory.
func concurrentPackages(t *testing.T) map[string]*concurrency {
	t.Helper()
	all := map[string]*concurrency{}
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", ".git", "tools"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		dir, err := filepath.Rel(top, filepath.Dir(path))
		if err != nil {
			return err
		}
		if all[dir] == nil {
			all[dir] = &concurrency{starts: map[string]bool{}, uses: map[string]map[string]bool{}}
		}
		return all[dir].add(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(all, func(_ string, c *concurrency) bool {
		return !c.hasTests || !c.isConcurrent
	})
	return all
}

// add reads a file of the package.
func (c *concurrency) add(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	isTest := strings.HasSuffix(path, "_test.go")
	c.hasTests = c.hasTests || isTest
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		starts, uses := scan(f)
		c.isConcurrent = c.isConcurrent || starts
		if !isTest || strings.HasPrefix(f.Name.Name, "Benchmark") {
			continue
		}
		c.uses[f.Name.Name] = uses
		if starts {
			c.starts[f.Name.Name] = true
		}
	}
	return nil
}

// scan reports whether a function starts a goroutine, and returns the names that it mentions.
func scan(f *ast.FuncDecl) (starts bool, uses map[string]bool) {
	uses = map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.SelectorExpr:
			starts = starts || n.Sel.Name == "Go"
		case *ast.Ident:
			uses[n.Name] = true
		}
		return true
	})
	return starts, uses
}
