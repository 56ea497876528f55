// Command secretcmp holds package secret against the gitleaks binary it takes its rules from, over samples that are made at run time from the shapes of
// the rules: none of them was ever a secret, and none is kept. From the root of the repository:
//
//	go run ./scripts/secretcmp
//
// It builds gitleaks, at the version that tools/gitleaks/go.mod pins, into a temporary directory; where that cannot be done it says so and
// ends without a failure. It fails where fewer than 98 % of the samples get the same verdict.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/secret"
	"github.com/set-memory/mem/secret/shape"
)

// wanted is the share of equal verdicts below which the comparison fails.
const wanted = 0.98

func main() {
	log.SetFlags(0)
	binary := flag.String("gitleaks", "", "a gitleaks binary; without it the pinned version is built")
	seed := flag.Uint64("seed", 1, "of the samples")
	each := flag.Int("each", 2, "samples for each rule")
	verbose := flag.Bool("v", false, "print every sample on which the two differ (made up, never a secret)")
	flag.Parse()
	if err := run(*binary, *seed, *each, *verbose); err != nil {
		log.Fatal(err)
	}
}

func run(binary string, seed uint64, each int, verbose bool) error {
	dir, err := os.MkdirTemp("", "secretcmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary == "" {
		binary = filepath.Join(dir, "gitleaks")
		if out, err := build(binary); err != nil {
			fmt.Printf("skipped: gitleaks cannot be built here: %v\n%s", err, out)
			return nil
		}
	}
	m := &maker{shape.New(seed)}
	samples := append(m.positives(each), m.negatives()...)
	theirs, err := gitleaks(binary, filepath.Join(dir, "samples"), samples)
	if err != nil {
		return err
	}
	return report(samples, theirs, verbose)
}

func build(binary string) ([]byte, error) {
	return exec.Command("go", "-C", "tools/gitleaks", "build", "-o", binary, "github.com/zricethezav/gitleaks/v8").CombinedOutput()
}

// gitleaks gives the rules that the binary finds in each sample.
func gitleaks(binary, dir string, samples []sample) ([][]string, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	for i, s := range samples {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%06d.txt", i)), []byte(s.text), 0o600); err != nil {
			return nil, err
		}
	}
	path := dir + ".json"
	cmd := exec.Command(binary, "dir", dir, "--no-banner", "--log-level", "error", "--exit-code", "0", "--report-format", "json", "--report-path", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gitleaks: %w: %s", err, out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var findings []struct{ RuleID, File string }
	if err := json.Unmarshal(text, &findings); err != nil {
		return nil, err
	}
	found := make([][]string, len(samples))
	for _, f := range findings {
		var i int
		if _, err := fmt.Sscanf(filepath.Base(f.File), "%d.txt", &i); err != nil {
			return nil, err
		}
		found[i] = append(found[i], f.RuleID)
	}
	return found, nil
}

// ours gives the rules of the table that package secret finds in a sample.
func ours(s sample) (rules []string) {
	for _, f := range secret.Scan("content", jsontext.AppendString(nil, s.text)) {
		if slices.ContainsFunc(secret.Rules(), func(r secret.Rule) bool { return r.ID == f.Rule && r.Pattern != "" }) {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}

// tally counts samples of one kind.
type tally struct{ all, refused, verdict, rules int }

func report(samples []sample, theirs [][]string, verbose bool) error {
	kinds := map[string]*tally{}
	for i, s := range samples {
		t := kinds[s.kind]
		if t == nil {
			t = &tally{}
			kinds[s.kind] = t
		}
		a, b := sorted(ours(s)), sorted(theirs[i])
		t.all++
		t.refused += one(len(b) > 0)
		t.verdict += one((len(a) > 0) == (len(b) > 0))
		t.rules += one(slices.Equal(a, b))
		if verbose && !slices.Equal(a, b) {
			fmt.Printf("%s: mem %v, gitleaks %v: %.300q\n", s.kind, a, b, s.text)
		}
	}
	var names []string
	sum := tally{}
	for name, t := range kinds {
		names = append(names, name)
		sum = tally{sum.all + t.all, sum.refused + t.refused, sum.verdict + t.verdict, sum.rules + t.rules}
	}
	slices.Sort(names)
	for _, name := range names {
		print(name, *kinds[name])
	}
	print("all", sum)
	if share := float64(sum.verdict) / float64(sum.all); share < wanted {
		return fmt.Errorf("only %.1f %% of the verdicts are the same", 100*share)
	}
	return nil
}

func print(name string, t tally) {
	fmt.Printf("%-22s %5d samples, gitleaks finds %5d; same verdict %5.1f %%, same rules %5.1f %%\n",
		name, t.all, t.refused, 100*float64(t.verdict)/float64(t.all), 100*float64(t.rules)/float64(t.all))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sorted(rules []string) []string {
	rules = slices.Clone(rules)
	slices.Sort(rules)
	return slices.Compact(rules)
}
