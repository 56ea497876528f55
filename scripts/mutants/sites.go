package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// kind is what a mutant does to the source.
type kind string

const (
	negate kind = "negate" // a condition holds where it did not
	drop   kind = "drop"   // a check, an operand or a row is gone
	swap   kind = "swap"   // two results or two constants change places
)

var kinds = []kind{negate, drop, swap}

// mutant is one change of one place.
type mutant struct {
	kind     kind
	pkg      *pkg
	file     string
	source   []byte
	from, to int // of the source
	by       string
	form     string // how it is joined with others
	line     int
	number   int // of the draw
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.kind) }

// text returns the file with the change.
func (m mutant) text() []byte {
	return fmt.Appendf(nil, "%s%s%s", m.source[:m.from], m.by, m.source[m.to:])
}

func (m mutant) lastLine() int { return m.line + bytes.Count(m.source[m.from:m.to], []byte("\n")) }

// lines returns the lines that change, as they were and as they are, without line breaks.
func (m mutant) lines() (was, is string) {
	start := strings.LastIndexByte(string(m.source[:m.from]), '\n') + 1
	end := len(m.source)
	if i := strings.IndexByte(string(m.source[m.to:]), '\n'); i >= 0 {
		end = m.to + i
	}
	join := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	return join(string(m.source[start:end])),
		join(string(m.source[start:m.from]) + m.by + string(m.source[m.to:end]))
}

// id is by what the list of equivalents knows the mutant.
func (m mutant) id() string {
	was, is := m.lines()
	return m.file + "\n" + was + "\n" + is
}

func (m mutant) show() string {
	was, is := m.lines()
	return fmt.Sprintf("%s\n  - %s\n  + %s", m, was, is)
}

// finder finds the places of one file.
type finder struct {
	fset   *token.FileSet
	pkg    *pkg
	file   string
	source []byte
	groups map[string]string // of each constant the next one of its block
	sites  []*mutant
}

// sitesOf returns every place of a package in which a mutant may be made.
func sitesOf(p *pkg) ([]*mutant, error) {
	names, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	groups := map[string]string{}
	var finders []*finder
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || !p.has(filepath.Base(name)) {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		addGroups(groups, file)
		finders = append(finders, &finder{fset: fset, pkg: p, file: path.Clean(name),
			source: source, groups: groups})
		files = append(files, file)
	}
	var sites []*mutant
	for i, f := range finders {
		for _, decl := range files[i].Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok != token.VAR {
				continue
			}
			ast.Inspect(decl, f.visit)
		}
		sites = append(sites, f.sites...)
	}
	return sites, nil
}

// addGroups adds the constants of each block: one of them stands for the next.
func addGroups(groups map[string]string, file *ast.File) {
	for _, decl := range file.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		var names []string
		for _, spec := range g.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				if name.Name != "_" {
					names = append(names, name.Name)
				}
			}
		}
		for i, name := range names {
			if len(names) > 1 {
				groups[name] = names[(i+1)%len(names)]
			}
		}
	}
}

func (f *finder) add(k kind, form string, from, to token.Pos, by string) {
	at := f.fset.Position(from)
	f.sites = append(f.sites, &mutant{kind: k, form: form, pkg: f.pkg, file: f.file,
		source: f.source, from: at.Offset, to: f.fset.Position(to).Offset, by: by, line: at.Line})
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}

func (f *finder) replace(k kind, form string, n ast.Node, by string) {
	f.add(k, form, n.Pos(), n.End(), by)
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.condition(n.Cond)
		if refuses(n) {
			f.replace(drop, lazy, n.Cond, "("+f.text(n.Cond)+") && false")
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			f.cases(n)
		}
	case *ast.BinaryExpr:
		f.operands(n)
	case *ast.CallExpr:
		if is(n.Fun, "cmp", "Or") && len(n.Args) > 1 {
			f.elements(n.Args, n.Rparen)
		}
	case *ast.ValueSpec:
		if len(n.Names) == 1 && n.Names[0].Name == "admission" && len(n.Values) == 1 {
			rows := n.Values[0].(*ast.CompositeLit)
			f.elements(rows.Elts, rows.Rbrace)
		}
	case *ast.ReturnStmt:
		f.results(n.Results)
	case *ast.SelectorExpr:
		ast.Inspect(n.X, f.visit)
		return false // its name is not of this package
	case *ast.KeyValueExpr:
		ast.Inspect(n.Value, f.visit)
		return false // its key may be the name of a field
	case *ast.Ident:
		f.constant(n)
	}
	return true
}

// condition negates a condition, whole.
func (f *finder) condition(cond ast.Expr) {
	f.replace(negate, lazy, cond, "!("+f.text(cond)+")")
}

// refuses reports whether an if statement ends the function with an error, or with what it is that
// the function has to say.
func refuses(n *ast.IfStmt) bool {
	if len(n.Body.List) != 1 || n.Else != nil {
		return false
	}
	_, ok := n.Body.List[0].(*ast.ReturnStmt)
	return ok
}

func (f *finder) cases(n *ast.SwitchStmt) {
	for _, clause := range n.Body.List {
		for _, cond := range clause.(*ast.CaseClause).List {
			f.condition(cond)
			f.replace(drop, lazy, cond, "("+f.text(cond)+") && false")
		}
	}
}

// operands negates and drops what is joined by && and ||, and drops flags.
func (f *finder) operands(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND, token.LOR:
		f.condition(n.X)
		f.condition(n.Y)
		f.replace(drop, lazy, n, f.text(n.X))
		f.replace(drop, lazy, n, f.text(n.Y))
	case token.OR:
		f.replace(drop, eager, n, f.text(n.X))
		f.replace(drop, eager, n, f.text(n.Y))
	}
}

// elements drops each of a list.
func (f *finder) elements(list []ast.Expr, end token.Pos) {
	for i, e := range list {
		to := end
		if i+1 < len(list) {
			to = list[i+1].Pos()
		} else if i > 0 {
			f.add(drop, alone, list[i-1].End(), end, ",\n")
			continue
		}
		f.add(drop, alone, e.Pos(), to, "")
	}
}

// results swaps two results.
func (f *finder) results(list []ast.Expr) {
	form := alone
	if len(list) == 2 {
		form = pair
	}
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if x, y := f.text(a), f.text(b); x != y && y != "err" && y != "nil" {
			f.add(swap, form, a.Pos(), b.End(), y+", "+x)
		}
	}
}

// constant puts the next constant of the block, or the other truth value, in the place of one.
func (f *finder) constant(n *ast.Ident) {
	other := map[string]string{"true": "false", "false": "true"}[n.Name]
	if other == "" {
		other = f.groups[n.Name]
	}
	if other != "" {
		f.replace(swap, eager, n, other)
	}
}

func is(fun ast.Expr, pkg, name string) bool {
	s, ok := fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg
}
