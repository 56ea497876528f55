package testkit

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every package whose tests have directories imports this one, or one beside it that does: else
// they see what lies above the directory for temporary files.
func TestRootsAreOfThisPackage(t *testing.T) {
	makes, imports := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", ".git", "tools"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		for _, name := range []string{".TempDir(", ".MkdirTemp("} {
			makes[dir] = makes[dir] || strings.Contains(string(text), name)
		}
		for _, i := range file.Imports {
			imports[dir] = imports[dir] || strings.Contains(i.Path.Value, "/internal/test/")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(makes, filepath.Clean(filepath.Join(top, "internal/test/testkit")))
	for dir, does := range makes {
		if does && !imports[dir] {
			t.Errorf("%s: import internal/test/testkit", dir)
		}
	}
	if len(makes) < 40 {
		t.Errorf("only %d packages have tests", len(makes))
	}
}

// Where there is room in memory, the directory of a test has no file system above it but that.
func TestRootHasABorder(t *testing.T) {
	if dir := t.TempDir(); canHoldRoots() && !strings.HasPrefix(dir, memory+"/") {
		t.Errorf("%s is not in %s", dir, memory)
	}
}
