package mem_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// reasons are the purposes of the direct dependencies.
var reasons = map[string]string{
	"filippo.io/age":                         "seals records of sensitivity high",
	"github.com/bmatcuk/doublestar/v4":       "matches the files that a memory names with patterns",
	"github.com/chromedp/cdproto":            "types of the browser's protocol, for chromedp",
	"github.com/chromedp/chromedp":           "drives the page in a real browser",
	"github.com/coreos/go-systemd/v22":       "takes the sockets that systemd has opened",
	"github.com/go-json-experiment/json":     "checks JSON, and keeps how it is written",
	"github.com/gofrs/flock":                 "locks a store among processes, on Windows too",
	"github.com/google/jsonschema-go":        "schemas of the MCP tools: in tests, and for the SDK",
	"github.com/itchyny/gojq":                "`--jq`",
	"github.com/jackc/pgx/v5":                "speaks to PostgreSQL",
	"github.com/kljensen/snowball":           "stems English words for searches",
	"github.com/modelcontextprotocol/go-sdk": "speaks the Model Context Protocol",
	"github.com/natefinch/atomic":            "replaces a file at once, on Windows too",
	"github.com/prometheus/client_golang":    "`/metrics`",
	"github.com/rogpeppe/go-internal":        "differences of two texts, by lines",
	"github.com/spf13/cobra":                 "verbs, help and shell completion",
	"github.com/spf13/pflag":                 "flags, for cobra",
	"github.com/tailscale/hujson":            "changes JSON with comments and keeps the rest",
	"github.com/tiktoken-go/tokenizer":       "compares token estimates with two tokenizers",
	"golang.org/x/crypto":                    "seals what mem sync exchanges (XChaCha20-Poly1305)",
	"golang.org/x/sys":                       "system calls that the standard library lacks",
	"golang.org/x/term":                      "recognizes a terminal, and its width",
	"golang.org/x/text":                      "normal forms and full-width forms of Unicode",
	"pgregory.net/rapid":                     "draws inputs for property tests",
}

// licenses are the licences that a module may have, each with a sentence of its text.
var licenses = []struct{ name, sentence, without string }{
	{"Apache-2.0", "Apache License Version 2.0, January 2004", ""},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy", ""},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from", ""},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms", "endorse or promote"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose", ""},
	{"MPL-2.0", "Mozilla Public License Version 2.0", ""},
}

// A dependency is a module beside this one.
type dependency struct {
	path, version, license string
	direct                 bool
	programs               []string // that link it
	importers              []string // the linked modules that import it
}

// docs/dependencies.md lists the modules of both programs, each with a licence that is recognized,
// and each direct one with a reason.
func TestDependencies(t *testing.T) {
	const path = "docs/dependencies.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := dependencies(t)
	want := replaceTable(t, string(text), "| direct | version | licence | linked in | purpose |",
		directRows(t, all))
	want = replaceTable(t, want, "| indirect | version | licence | linked in | imported by |",
		indirectRows(all))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is stale: go test . -run Dependencies -update writes\n%s", path, want)
	}
}

// replaceTable replaces the rows of the table with a head.
func replaceTable(t *testing.T, text, head string, rows []string) string {
	t.Helper()
	table := regexp.MustCompile(`(?m)(^` + regexp.QuoteMeta(head) + `\n\|[-|]+\n)((?:\|.*\n)*)`)
	if len(table.FindAllString(text, -1)) != 1 {
		t.Fatalf("not one table %q", head)
	}
	return table.ReplaceAllString(text, "${1}"+strings.Join(rows, ""))
}

func directRows(t *testing.T, all []*dependency) (rows []string) {
	t.Helper()
	named := map[string]bool{}
	for _, d := range all {
		if !d.direct {
			continue
		}
		named[d.path] = true
		if reasons[d.path] == "" {
			t.Errorf("%s: a direct dependency without a reason", d.path)
		}
		programs := strings.Join(d.programs, ", ")
		if programs == "" {
			programs = "tests only"
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |\n", d.path, d.version,
			d.license, programs, reasons[d.path]))
	}
	for path := range reasons {
		if !named[path] {
			t.Errorf("%s is no direct dependency: take its reason off the list", path)
		}
	}
	return rows
}

func indirectRows(all []*dependency) (rows []string) {
	for _, d := range all {
		if !d.direct {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |\n", d.path, d.version,
				d.license, strings.Join(d.programs, ", "), strings.Join(d.importers, ", ")))
		}
	}
	return rows
}

// dependencies returns the direct dependencies and the modules that a program links, by path.
func dependencies(t *testing.T) (all []*dependency) {
	t.Helper()
	testkit.Sources(t, "./cmd/mem", "./cmd/memd")
	found := map[string]*dependency{}
	for _, path := range directModules(t) {
		found[path] = &dependency{path: path, direct: true}
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, program := range []string{"mem", "memd"} {
			addLinked(t, found, system, program)
		}
	}
	addVersions(t, found)
	for _, path := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[path])
	}
	return all
}

// directModules returns the modules that go.mod requires without "// indirect".
func directModules(t *testing.T) (paths []string) {
	t.Helper()
	if _, err := os.ReadFile("go.mod"); err != nil { // the cache of test results sees the file
		t.Fatal(err)
	}
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(output(t, "", "go", "mod", "edit", "-json"), &file); err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Require {
		if !r.Indirect {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// addLinked adds the modules of a program on a system, and the modules that import them.
func addLinked(t *testing.T, found map[string]*dependency, system, program string) {
	t.Helper()
	type linked struct {
		ImportPath string
		Imports    []string
		Module     *struct{ Path string }
	}
	moduleOf, packages := map[string]string{}, decodeAll[linked](t, output(t, system, "go", "list",
		"-deps", "-json=ImportPath,Imports,Module", "./cmd/"+program))
	for _, p := range packages {
		if p.Module == nil || p.Module.Path == module {
			continue
		}
		path := p.Module.Path
		moduleOf[p.ImportPath] = path
		if found[path] == nil {
			found[path] = &dependency{path: path}
		}
		found[path].programs = with(found[path].programs, program)
	}
	for _, p := range packages {
		for _, imported := range p.Imports {
			if to := moduleOf[imported]; to != "" && p.Module != nil && p.Module.Path != to {
				found[to].importers = with(found[to].importers, p.Module.Path)
			}
		}
	}
}

// addVersions adds versions and licences.
func addVersions(t *testing.T, found map[string]*dependency) {
	t.Helper()
	type downloaded struct{ Path, Version, Dir string }
	args := append([]string{"list", "-m", "-json=Path,Version,Dir"},
		slices.Sorted(maps.Keys(found))...)
	for _, m := range decodeAll[downloaded](t, output(t, "", "go", args...)) {
		d := found[m.Path]
		d.version = m.Version
		if m.Dir == "" {
			t.Fatalf("%s is not downloaded: go mod download", m.Path)
		}
		if d.license = licenseOf(t, m.Dir); d.license == "" {
			t.Errorf("%s: no licence is recognized", m.Path)
		}
	}
}

// licenseOf returns the licences of a module, by the text of its LICENSE file; "" for none.
func licenseOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "LICENSE*"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.Join(strings.Fields(string(text)), " ") + " ")
	}
	return recognized(all.String())
}

// recognized returns the licences in a text, whose white space is single spaces.
func recognized(text string) string {
	var names []string
	for _, l := range licenses {
		if strings.Contains(text, l.sentence) &&
			(l.without == "" || !strings.Contains(text, l.without)) {
			names = append(names, l.name)
		}
	}
	return strings.Join(names, " and ")
}

// A text is recognized by its terms, and no other text is.
func TestRecognizedLicences(t *testing.T) {
	const bsd = "Redistribution and use in source and binary forms, with or without modification"
	for text, want := range map[string]string{
		bsd: "BSD-2-Clause",
		bsd + " may be used to endorse or promote products derived from": "BSD-3-Clause",
		"GNU GENERAL PUBLIC LICENSE Version 3":                           "",
		"All rights reserved.":                                           "",
	} {
		if got := recognized(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// output returns the output of a command, for a system if it is not "".
func output(t *testing.T, system, name string, args ...string) []byte {
	t.Helper()
	var failed bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stderr = &failed
	if system != "" {
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(cmd.Args, " "), err, failed.Bytes())
	}
	return out
}

// decodeAll decodes the values of a stream of JSON.
func decodeAll[T any](t *testing.T, text []byte) (all []T) {
	t.Helper()
	for in := json.NewDecoder(bytes.NewReader(text)); ; {
		var v T
		if err := in.Decode(&v); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
}

// with returns a sorted list with a name in it, once.
func with(list []string, name string) []string {
	if at, ok := slices.BinarySearch(list, name); !ok {
		return slices.Insert(list, at, name)
	}
	return list
}
