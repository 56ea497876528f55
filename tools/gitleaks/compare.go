package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/internal/rule/secret/shape"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// wanted is the share of equal verdicts below which the comparison fails.
const wanted = 0.98

// tally counts samples of one kind.
type tally struct{ all, refused, verdict, rules int }

// compare holds package secret against gitleaks over samples that are made here from the shapes of
// the rules: none of them was ever a secret, and none is kept.
func compare(seed uint64, each int, verbose bool) error {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return err
	}
	d.MaxDecodeDepth = 5 // as its binary does
	m := &maker{shape.New(seed)}
	kinds, sum := map[string]*tally{}, &tally{}
	for _, s := range append(m.positives(each), m.negatives()...) {
		if kinds[s.kind] == nil {
			kinds[s.kind] = &tally{}
		}
		a, b := ours(s.text), theirs(d, s.text)
		if verbose && !slices.Equal(a, b) {
			fmt.Printf("%s: mem %v, gitleaks %v: %.300q\n", s.kind, a, b, s.text)
		}
		for _, t := range []*tally{kinds[s.kind], sum} {
			t.all++
			t.refused += one(len(b) > 0)
			t.verdict += one((len(a) > 0) == (len(b) > 0))
			t.rules += one(slices.Equal(a, b))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		kinds[name].print(name)
	}
	sum.print("all")
	if share := float64(sum.verdict) / float64(sum.all); share < wanted {
		return fmt.Errorf("only %.1f %% of the verdicts are the same", 100*share)
	}
	return nil
}

// theirs returns the rules that gitleaks finds in a text.
func theirs(d *detect.Detector, text string) (rules []string) {
	for _, f := range d.DetectString(text) {
		rules = append(rules, f.RuleID)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// ours returns the rules of the table that package secret finds in a text.
func ours(text string) (rules []string) {
	var content bytes.Buffer
	enc := json.NewEncoder(&content)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always encodes
	for _, f := range secret.Scan("content", bytes.TrimSpace(content.Bytes())) {
		fromTable := func(r secret.Rule) bool { return r.ID == f.Rule && r.Pattern != "" }
		if slices.ContainsFunc(secret.Rules(), fromTable) {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

func (t *tally) print(name string) {
	share := func(n int) float64 { return 100 * float64(n) / float64(t.all) }
	fmt.Printf("%-22s %5d samples, gitleaks finds %5d; same verdict %5.1f %%, same rules %5.1f %%\n",
		name, t.all, t.refused, share(t.verdict), share(t.rules))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
