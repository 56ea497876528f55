package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// The table has each row that is declared, in the same order.
func TestVerbTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "verbs.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared, listed []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		lit, ok := spec.Values[0].(*ast.CompositeLit)
		if !ok {
			return true
		}
		if name, ok := lit.Type.(*ast.Ident); ok && name.Name == "Verb" {
			declared = append(declared, spec.Names[0].Name)
		}
		if spec.Names[0].Name == "table" {
			for _, e := range lit.Elts {
				listed = append(listed, e.(*ast.UnaryExpr).X.(*ast.Ident).Name)
			}
		}
		return true
	})
	if len(declared) < 50 || len(declared) != len(listed) {
		t.Fatalf("%d rows, %d in the table", len(declared), len(listed))
	}
	for i := range declared {
		if declared[i] != listed[i] {
			t.Errorf("row %d is %s, and %s in the table", i, declared[i], listed[i])
		}
	}
}

// Operations on every record write each class that has a form of its own, is not append-only and
// not an agent's.
func TestFormedClasses(t *testing.T) {
	want := classes(func(ns Namespace) bool {
		return ns.Todo != nil && !ns.AppendOnly && ns.Audience != ItsAgent
	})
	if want != formed || want == 0 {
		t.Errorf("formed is %b, want %b", formed, want)
	}
}
