package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const policy = "internal/rule/policy"

// pkg is a package whose files are changed, those of a pattern or all, and the packages whose tests
// are built from it, its own first: no other test can see a change.
type pkg struct {
	dir, name string
	tests     []string
	files     string
}

// rules are the packages with the rules.
var rules = []pkg{
	{".", "mem", []string{"."}, ""},
	{policy, "policy", []string{policy, "internal/rule/settings", "."}, ""},
}

// offTree are the tests that read the tree and not the mutant.
const offTree = "^(TestArrowsPointDown|TestNothingHeavyIsLinked|TestOnePlaceFor|" +
	"TestLinesAreNotWide|TestPromisesAreHeld|TestDocLinks)$"

// A form joins a mutant with its place: the number of the mutant, the place, and the change.
const (
	lazy  = "mutantLazy(%[1]d, func() bool { return %[2]s }, func() bool { return %[3]s })"
	eager = "mutantEager(%[1]d, %[2]s, %[3]s)"
	pair  = "mutantPair(%[1]d, %[2]s)"
	alone = "" // it cannot be joined
)

const (
	active = "MUTANT" // the variable of the environment with the number of the active mutant
	// differing is the variable with a file, which gets the numbers of the mutants that would have
	// changed something, where the active one is below 0.
	differing = "MUTANTS_DIFFER"
)

const forms = `package %s

import "fmt"
import "os"
import "strconv"
import "sync"

var mutantActive, _ = strconv.Atoi(os.Getenv("` + active + `"))
var mutantNoted sync.Map

// The environment of a test may be another one later.
var mutantDiffer = os.Getenv("` + differing + `")

func mutantLazy(n int, place, change func() bool) bool {
	if n == mutantActive {
		return change()
	}
	is := place()
	if mutantActive < 0 && mutantDiffers(is, change) {
		mutantNote(n)
	}
	return is
}

func mutantDiffers(is bool, change func() bool) (differs bool) {
	defer func() { differs = differs || recover() != nil }()
	return change() != is
}

func mutantNote(n int) {
	if _, again := mutantNoted.LoadOrStore(n, true); again {
		return
	}
	f, err := os.OpenFile(mutantDiffer, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		fmt.Fprintln(f, n)
		f.Close()
	}
}

func mutantEager[T any](n int, place, change T) T {
	if n == mutantActive {
		return change
	}
	if mutantActive < 0 {
		mutantNote(n)
	}
	return place
}

func mutantPair[T any](n int, a, b T) (T, T) {
	if n == mutantActive {
		return b, a
	}
	if mutantActive < 0 {
		mutantNote(n)
	}
	return a, b
}
`

type verdict int

const (
	killed verdict = iota
	hung
	survived
	equivalent
	broken // it does not compile
	missed // lives do not kill it, and the tests of its package do
)

// builder compiles mutants, and runs the tests of what it has compiled.
type builder struct {
	packages []pkg
	dir      string
	limit    time.Duration
	slow     string // tests that run after the others, a pattern
}

// join compiles the mutants that compile together, and marks the others to be compiled alone.
func (b *builder) join(all []*mutant) error {
	for {
		overlay, err := b.overlay("joined", b.joined(all))
		if err != nil {
			return err
		}
		args := []string{"build", "-gcflags=-e", "-overlay", overlay}
		for _, p := range b.packages {
			args = append(args, "./"+p.dir)
		}
		out, err := exec.Command("go", args...).CombinedOutput()
		if err == nil {
			break
		}
		if n := setApart(all, out); n == 0 {
			return fmt.Errorf("%w:\n%s", err, out)
		}
	}
	for _, tested := range b.tested() {
		if out, err := b.compile("joined", tested); err != nil {
			return fmt.Errorf("%w:\n%s", err, out)
		}
		out, err := b.exec("joined", tested, 0, "-test.v", "-test.skip", offTree)
		if err != nil {
			return fmt.Errorf("the tests fail without a mutant: %w:\n%s", err, out)
		}
		b.addSlow(out)
	}
	return nil
}

// tested returns the packages whose tests are run.
func (b *builder) tested() (list []string) {
	for _, p := range b.packages {
		list = append(list, p.tests...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// joined returns the files with every mutant that can be joined.
func (b *builder) joined(all []*mutant) map[string][]byte {
	byFile := map[string][]*mutant{}
	for _, m := range all {
		if m.form != alone {
			byFile[m.file] = append(byFile[m.file], m)
		}
	}
	files := map[string][]byte{}
	for name, list := range byFile {
		slices.SortFunc(list, byPlace)
		files[name] = weave(list[0].source, 0, len(list[0].source), list)
	}
	for _, p := range b.packages {
		files[filepath.Join(p.dir, "mutant_forms.go")] = fmt.Appendf(nil, forms, p.name)
	}
	return files
}

// byPlace sorts mutants so that each comes before those that lie within it.
func byPlace(a, b *mutant) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to),
		cmp.Compare(a.number, b.number))
}

// weave returns a part of the source with the mutants in it, which lie within each other or apart.
// The line comments keep the numbers of the lines, by which setApart finds a mutant.
func weave(source []byte, from, to int, list []*mutant) []byte {
	var text []byte
	for len(list) > 0 {
		m, n := list[0], 1
		for n < len(list) && list[n].from < m.to {
			n++
		}
		place := weave(source, m.from, m.to, list[1:n])
		text = append(append(text, source[from:m.from]...), fmt.Sprintf(m.form, m.number, place,
			fmt.Sprintf("/*line :%d:1*/%s", m.line, m.by))...)
		text = fmt.Appendf(text, "/*line :%d:1*/", m.lastLine())
		from, list = m.to, list[n:]
	}
	return append(text, source[from:to]...)
}

var compileError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// setApart marks the mutants on the lines of errors to be compiled alone, and returns their number.
func setApart(all []*mutant, out []byte) (n int) {
	for _, e := range compileError.FindAllSubmatch(out, -1) {
		line, _ := strconv.Atoi(string(e[2]))
		for _, m := range all {
			if m.form != alone && filepath.Base(string(e[1])) == flat("joined", m.file) &&
				m.line <= line && line <= m.lastLine() {
				m.form = alone
				n++
			}
		}
	}
	return n
}

// flat returns the name of a file in the folder of the builder.
func flat(name, file string) string { return name + "_" + strings.ReplaceAll(file, "/", "_") }

// overlay writes files, and the file that puts them in the places of the sources.
func (b *builder) overlay(name string, files map[string][]byte) (string, error) {
	replace := map[string]string{}
	for file, text := range files {
		source, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		replace[source] = filepath.Join(b.dir, flat(name, file))
		if err := os.WriteFile(replace[source], text, 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(b.dir, name+".json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

func (b *builder) binary(name, tested string) string {
	return filepath.Join(b.dir, flat(name, tested)+".test")
}

// compile compiles the tests of a package through an overlay.
func (b *builder) compile(name, tested string) ([]byte, error) {
	return exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay",
		filepath.Join(b.dir, name+".json"), "-o", b.binary(name, tested),
		"./"+tested).CombinedOutput()
}

// exec runs compiled tests with a mutant.
func (b *builder) exec(name, tested string, number int, flags ...string) ([]byte, error) {
	cmd := exec.Command(b.binary(name, tested), append(flags, "-test.failfast",
		"-test.timeout="+b.limit.String())...)
	cmd.Dir, cmd.Env = tested, append(os.Environ(), fmt.Sprintf(active+"=%d", number))
	return cmd.CombinedOutput()
}

var slowTest = regexp.MustCompile(`(?m)^--- PASS: (\w+) \((?:0\.[3-9]|[1-9]).*s\)`)

// addSlow finds the tests that last longest: most mutants are killed by the others.
func (b *builder) addSlow(out []byte) {
	for _, test := range slowTest.FindAllSubmatch(out, -1) {
		b.slow += "|^" + string(test[1]) + "$"
	}
}

// test runs the tests that a mutant may fail, those of its own package first.
func (b *builder) test(m *mutant) verdict {
	name := "joined"
	if m.form == alone {
		name = fmt.Sprint("alone", m.number)
		if _, err := b.overlay(name, map[string][]byte{m.file: m.text()}); err != nil {
			return broken
		}
	}
	for _, tested := range m.pkg.tests {
		if m.form == alone {
			if _, err := b.compile(name, tested); err != nil {
				return broken
			}
			defer os.Remove(b.binary(name, tested))
		}
		if v := b.testPackage(name, tested, m.number); v != survived {
			return v
		}
	}
	return survived
}

func (b *builder) testPackage(name, tested string, number int) verdict {
	out, err := b.exec(name, tested, number, "-test.skip", offTree+b.slow)
	if err == nil && b.slow != "" {
		out, err = b.exec(name, tested, number, "-test.skip", offTree, "-test.run", b.slow[1:])
	}
	switch exit := new(exec.ExitError); {
	case err == nil:
		return survived
	case bytes.Contains(out, []byte("panic: test timed out")):
		return hung
	case errors.As(err, &exit):
		return killed
	}
	return broken // the tests did not start
}
