package mem_test

import (
	"go/ast"
	"go/parser"
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

// house is the package map: what each package of the module may import of the others. Arrows point
// down only.
var house = map[string][]string{
	"visible":  {},
	"screen":   {},
	"jsontext": {"visible"},
	"settings": {"jsontext"},
	"logline":  {"jsontext"},
	"disk":     {},
	"ulid":     {},
	"repo":     {"disk"},
	"keypath":  {"jsontext", "visible"},
	"log":      {"disk", "jsontext", "keypath"},
	"content":  {"jsontext", "keypath", "log"},
	"index":    {"disk", "keypath", "log"},
	"trust":    {"disk", "jsontext", "log"},
	"layer":    {"disk", "jsontext", "keypath", "log", "repo", "trust"},
	"secret":   {"jsontext"},
	// For tests and comparisons only.
	"secret/shape": {},
	"testkit":      {},
	"storetest": {"", "backend", "compact", "content", "disk", "filestore", "fsck", "fts", "keypath",
		"log", "memstore", "purge", "readout", "state"},

	"purge":   {"disk", "jsontext", "keypath", "log"},
	"readout": {"content", "jsontext", "keypath", "log", "visible"},
	"chunk":   {"readout"},
	"seal":    {"disk"}, // for the daemon's main alone: no other room lists it
	"sidecar": {"disk"},
	"sizes":   {"disk", "jsontext", "keypath", "log", "sidecar"},
	"columns": {"content", "disk", "jsontext", "keypath", "log", "sidecar"},
	"fts":     {"content", "disk", "jsontext", "keypath", "log", "readout", "sidecar", "ulid"},
	"backend": {"content", "fts", "keypath", "log", "purge", "readout"},
	"group":   {"backend"},
	"policy":  {"backend", "content", "jsontext", "keypath", "log", "purge", "secret"},
	"state": {"backend", "columns", "content", "disk", "fts", "jsontext", "keypath", "log",
		"readout"},
	"filestore": {"backend", "content", "disk", "fts", "group", "index", "jsontext", "keypath", "log",
		"logline", "purge", "readout", "sizes", "state"},
	"union":   {"backend", "content", "fts", "keypath", "log", "readout"},
	"compact": {"content", "disk", "filestore", "index", "keypath", "log", "logline", "state"},
	"fsck": {"content", "disk", "filestore", "index", "jsontext", "keypath", "log", "purge",
		"state"},
	// Linked by the daemon alone.
	"pgtest": {"testkit"},
	"pgstore": {"backend", "content", "disk", "fts", "group", "jsontext", "keypath", "log", "purge",
		"readout", "state"},
	"memstore": {"backend", "content", "fts", "keypath", "log", "purge", "readout", "state"},
	"": {"backend", "compact", "content", "disk", "filestore", "fsck", "fts", "index", "jsontext",
		"keypath", "layer", "log", "policy", "purge", "readout", "secret", "settings", "state", "trust",
		"union"},

	"session": {"", "backend", "content", "disk", "jsontext", "keypath", "log", "policy", "readout",
		"settings", "ulid"},
	"journal": {"", "backend", "content", "jsontext", "keypath", "log", "policy", "purge",
		"readout", "ulid"},
	"note":    {"", "content", "jsontext", "keypath", "layer", "log", "policy", "readout"},
	"move":    {"", "content", "keypath", "log", "note", "policy"},
	"carry":   {"", "backend", "content", "disk", "keypath", "log", "policy"},
	"changes": {"", "keypath", "log", "policy"},
	"audit":   {"", "content", "jsontext", "keypath", "log", "policy", "readout"},
	"ledger": {"", "chunk", "content", "jsontext", "keypath", "log", "policy", "readout", "secret",
		"ulid"},
	"bundle": {"", "content", "keypath", "ledger", "log", "policy", "readout", "ulid"},
	"edit":   {"", "content", "jsontext", "keypath", "log", "note", "policy"},
	"forget": {"", "backend", "content", "jsontext", "keypath", "log", "policy", "purge", "readout"},
	"inject": {"", "backend", "content", "filestore", "journal", "jsontext", "keypath", "log",
		"note", "policy", "readout"},
	"memtool":  {"", "content", "jsontext", "keypath", "log"},
	"transfer": {"", "disk", "jsontext", "keypath", "log", "policy", "readout"},
	"doctor":   {"", "backend", "disk", "filestore", "log"},
	"serve": {"", "backend", "bundle", "chunk", "disk", "edit", "keypath", "ledger", "log", "logline", "note", "policy",
		"session", "ulid"},
	"jsonlines": {},
	"mcp": {"", "backend", "bundle", "content", "edit", "journal", "jsonlines", "jsontext", "keypath",
		"layer", "ledger", "log", "memtool", "note", "policy", "readout", "session"},
	"review": {"", "keypath", "layer", "log", "policy"},
	"census": {"", "content", "jsontext", "keypath", "log", "policy"},
	"chart":  {},
	"door":   {},
	"page": {"", "audit", "backend", "census", "changes", "chart", "content", "doctor", "door", "edit", "forget", "inject",
		"journal", "jsontext", "keypath", "layer", "log", "logline", "policy", "purge", "readout",
		"review", "session"},
	"agents": {},
	"setup":  {"agents", "repo"},
	"hook":   {"", "agents", "inject", "jsontext", "readout"},
	"cli": {"", "agents", "audit", "backend", "bundle", "carry", "changes", "compact", "content", "disk",
		"doctor", "edit", "forget", "fsck", "fts", "hook", "inject", "journal", "jsontext",
		"keypath", "layer", "ledger", "log", "logline", "memtool", "move", "note", "policy", "purge",
		"readout", "screen", "session", "setup", "transfer", "visible"},
	"cmd/mem": {"cli"},
	"cmd/memd": {"", "backend", "cli", "disk", "doctor", "hook", "journal", "layer", "ledger", "log",
		"logline", "mcp", "page", "pgstore", "seal", "serve", "session"},
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

// moduleImports asks the go command which packages of the module each package imports, tests left
// out.
func moduleImports(t *testing.T) map[string][]string {
	t.Helper()
	testkit.Sources(t, "./...")
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
		"github.com/tiktoken-go/tokenizer", "filippo.io/age", "github.com/prometheus/",
		"github.com/modelcontextprotocol/", module + "/serve", module + "/seal", module + "/mcp",
		module + "/page", module + "/pgstore", "github.com/jackc/"} {
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
		`time\.Now(\(\)|[^a-zA-Z])`: "cli/app.go cli/daemon.go cli/progress.go pgstore/store.go " +
			"store.go",
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

// maxMethods is what one type may have: with more it does several jobs.
const maxMethods = 25

func TestNoTypeHasManyMethods(t *testing.T) {
	methods := map[string]map[string]bool{}
	for _, file := range goFiles(t) {
		if file.product() {
			addMethods(t, file, methods)
		}
	}
	for name, of := range methods {
		if len(of) > maxMethods {
			t.Errorf("%s has %d methods, at most %d", name, len(of), maxMethods)
		}
	}
	if len(methods) < 100 {
		t.Fatalf("only %d types have methods: the sweep is broken", len(methods))
	}
}

// addMethods adds the names of a file's methods to those of their types. What each system has a
// file of its own for is one method.
func addMethods(t *testing.T, file goFile, methods map[string]map[string]bool) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file.path, file.text,
		parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range parsed.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv == nil {
			continue
		}
		name := strings.TrimPrefix(file.dir()+"."+typeName(fn.Recv.List[0].Type), "..")
		if methods[name] == nil {
			methods[name] = map[string]bool{}
		}
		methods[name][fn.Name.Name] = true
	}
}

func typeName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// maxColumns is the width of a line of Go, a tab being 4. Raw strings do not count, for they cannot
// be broken, nor does what is generated.
const maxColumns = 100

// wideLines are the packages that still have wider lines; their tests are listed for themselves.
var wideLines = []string{
	". tests",
	"readout",
	"scripts/bench",
	"scripts/bench tests",
	"scripts/clients",
	"scripts/clients tests",
	"scripts/recall",
	"scripts/recall tests",
	"secret/shape",
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
	first, _, _ := strings.Cut(f.path, "/")
	return !f.test() && !slices.Contains([]string{"scripts", "tools", "testkit"}, first)
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
