package mem_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms are the rooms of this package's files, by the start of their names: a file uses those of
// the rooms before its own, and of its own room, and no two files use each other.
var rooms = []string{"store", "read", "write"}

func TestFilesOfRootReadDownward(t *testing.T) {
	left, uses := usesOfFiles(t)
	room := func(file string) int {
		return slices.IndexFunc(rooms, func(name string) bool {
			return file == name+".go" || strings.HasPrefix(file, name+"_")
		})
	}
	for _, file := range left {
		if room(file) < 0 {
			t.Errorf("%s is in none of the rooms %v", file, rooms)
		}
		for other, name := range uses[file] {
			if room(other) > room(file) {
				t.Errorf("%s uses %s of %s, of a later room", file, name, other)
			}
		}
	}
	for len(left) > 0 {
		free := slices.IndexFunc(left, func(file string) bool {
			return !slices.ContainsFunc(left, func(other string) bool {
				return uses[file][other] != ""
			})
		})
		if free < 0 {
			t.Fatalf("a circle is among these files: %v", left)
		}
		left = slices.Delete(left, free, free+1)
	}
}

// usesOfFiles returns the files of this package, and what each uses of each other one: one name.
func usesOfFiles(t *testing.T) (files []string, uses map[string]map[string]string) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset, parsed := token.NewFileSet(), []*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files, parsed = append(files, name), append(parsed, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	// Names of other packages stay unknown, which is an error each; those of this one do not.
	conf := types.Config{Error: func(error) {}}
	pkg, _ := conf.Check(module, fset, parsed, info)
	uses = map[string]map[string]string{}
	for id, object := range info.Uses {
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		v, isVar := object.(*types.Var)
		if object.Pkg() != pkg || from == to || isVar && v.IsField() {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string]string{}
		}
		uses[from][to] = object.Name()
	}
	if len(files) < 20 || uses["write_set.go"]["write.go"] == "" {
		t.Fatalf("%d files, and write_set.go uses %v", len(files), uses["write_set.go"])
	}
	return files, uses
}
