// Command gitleaks writes internal/rule/secret/rules.tsv and keywords.tsv from the rules of gitleaks, at the
// version that go.mod pins, and holds package secret against gitleaks itself. It is a module of its own, so that
// nothing of gitleaks gets into the module of mem. From the root of the repository:
//
//	go -C tools/gitleaks run . ../../internal/rule/secret
//	go -C tools/gitleaks run . -compare [-seed 1] [-each 2] [-v]
//
// The second fails where fewer than 98 % of the samples get the same verdict.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

const module = "github.com/zricethezav/gitleaks/v8"

func main() {
	log.SetFlags(0)
	comparing := flag.Bool("compare", false, "compare in place of writing the table")
	seed := flag.Uint64("seed", 1, "of the samples")
	each := flag.Int("each", 2, "samples for each rule")
	verbose := flag.Bool("v", false, "print every sample on which the two differ (made up, never a secret)")
	flag.Parse()
	do := func() error { return generate(flag.Arg(0)) }
	if *comparing {
		do = func() error { return compare(*seed, *each, *verbose) }
	} else if flag.NArg() != 1 {
		log.Fatal("usage: go -C tools/gitleaks run . ../../internal/rule/secret")
	}
	if err := do(); err != nil {
		log.Fatal(err)
	}
}

func generate(dir string) error {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return err
	}
	rules, words, err := table(d.Config)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "rules.tsv"), rules, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "keywords.tsv"), words, 0o644); err != nil {
		return err
	}
	return copyNotice(filepath.Join(dir, "LICENSE.gitleaks"))
}

// copyNotice keeps the MIT notice of gitleaks beside the rules that were taken from it.
func copyNotice(to string) error {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "LICENSE"))
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				return dep.Version
			}
		}
	}
	return "unknown"
}

// table returns a row for each rule, behind a comment of one line and one of the lists that hold for
// all, and a row for each keyword.
func table(c config.Config) (rules, words []byte, err error) {
	var rows, list bytes.Buffer
	t := tables{keywords: map[string][]int{}}
	fmt.Fprintf(&rows, "# by tools/gitleaks from %s %s, under the MIT license: see LICENSE.gitleaks\n", module, version())
	fmt.Fprintf(&rows, "*%s%s\n", strings.Repeat("\t", 7), allowlists(c.Allowlists))
	n := 0
	for _, r := range c.GetOrderedRules() {
		// A memory has no file name.
		if r.Path != nil || r.Regex == nil {
			continue
		}
		row, err := t.rule(r, n)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.RuleID, err)
		}
		rows.WriteString(row)
		n++
	}
	t.writeKeywords(&list)
	return rows.Bytes(), list.Bytes(), nil
}
