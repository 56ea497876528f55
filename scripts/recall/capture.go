package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/rule/capture"
)

// capturePrompt is a labelled prompt of -capture.
type capturePrompt struct {
	ID, Lang, Class, Prompt string
}

// captureSession is a conversation of -capture, with the records that its turns call for.
type captureSession struct {
	ID, Lang string
	Events   []struct{ Type, Text string }
	Want     []struct {
		Class string
		Must  []string
	}
}

// verdicts counts prompts by capture.Verdict.
type verdicts [3]int

func (v verdicts) total() int { return v[capture.Nothing] + v[capture.Propose] + v[capture.Store] }

// asked returns the number of prompts that were stored or proposed.
func (v verdicts) asked() int { return v[capture.Propose] + v[capture.Store] }

// measureCapture prints the verdicts on the prompts of a directory, the even ids and the odd ones
// apart. Texts are printed of even ids only: the odd ones judge rules that were written by the rest.
func measureCapture(dir string, out io.Writer) {
	requests := readLines[capturePrompt](dir, "requests.jsonl")
	others := readLines[capturePrompt](dir, "nothing.jsonl")
	var sessions []captureSession
	if _, err := os.Stat(filepath.Join(dir, "sessions.jsonl")); err == nil {
		sessions = readLines[captureSession](dir, "sessions.jsonl")
	}
	for _, half := range []string{"even", "odd"} {
		c := captureHalf{half: half, out: out}
		wanted := c.count("requests", requests, true)
		unwanted := c.count("nothing", others, false)
		c.rates(wanted, unwanted)
		c.corrections(sessions)
	}
}

// captureHalf prints the figures of the even or of the odd ids.
type captureHalf struct {
	half string
	out  io.Writer
}

func (c captureHalf) has(id string) bool {
	even := id != "" && strings.IndexByte("02468", id[len(id)-1]) >= 0
	return even == (c.half == "even")
}

// miss prints the text of a wrong verdict, of even ids only.
func (c captureHalf) miss(id, verdict, text string) {
	if c.half == "even" {
		fmt.Fprintf(c.out, "  %s %s: %q\n", id, verdict, text)
	}
}

var verdictNames = [...]string{"nothing", "proposed", "stored"}

// count judges the prompts of the half and prints their verdicts by class and by language.
func (c captureHalf) count(name string, prompts []capturePrompt, wanted bool) verdicts {
	counts := map[string]verdicts{}
	var all verdicts
	for _, p := range prompts {
		if !c.has(p.ID) {
			continue
		}
		v := capture.Asked(p.Prompt).Verdict
		if wanted == (v == capture.Nothing) {
			c.miss(p.ID, verdictNames[v], p.Prompt)
		}
		all[v]++
		for _, row := range []string{"class " + p.Class, "lang " + p.Lang} {
			n := counts[row]
			n[v]++
			counts[row] = n
		}
	}
	fmt.Fprintf(c.out, "%-5s %-8s %-20s %7s %8s %8s %6s\n", c.half, name, "", "stored", "proposed", "nothing", "of")
	for _, row := range slices.Sorted(maps.Keys(counts)) {
		c.row(name, row, counts[row])
	}
	c.row(name, "all", all)
	return all
}

func (c captureHalf) row(name, row string, v verdicts) {
	fmt.Fprintf(c.out, "%-5s %-8s %-20s %7d %8d %8d %6d\n", c.half, name, row,
		v[capture.Store], v[capture.Propose], v[capture.Nothing], v.total())
}

// rates prints precision and recall of Store alone, and of Store and Propose together.
func (c captureHalf) rates(wanted, unwanted verdicts) {
	stored, asked := wanted[capture.Store], wanted.asked()
	c.rate("precision of Store", share{stored, stored + unwanted[capture.Store]})
	c.rate("recall of Store", share{stored, wanted.total()})
	c.rate("precision of either", share{asked, asked + unwanted.asked()})
	c.rate("recall of either", share{asked, wanted.total()})
}

func (c captureHalf) rate(name string, s share) {
	low, high := s.wilson()
	fmt.Fprintf(c.out, "%-5s %-24s %5.1f %% (%.1f to %.1f; %d of %d)\n", c.half, name, s.percent(),
		low, high, s.n, s.of)
}

// wilson returns the bounds of the Wilson interval of 95 %, in percent.
func (s share) wilson() (low, high float64) {
	if s.of == 0 {
		return 0, 100
	}
	const z = 1.959964
	n, p := float64(s.of), float64(s.n)/float64(s.of)
	mid, scale := p+z*z/(2*n), 1+z*z/n
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return 100 * max(0, (mid-half)/scale), 100 * min(1, (mid+half)/scale)
}

// corrections prints the figures of capture.Correction. A session that wants a correction has it in
// a prompt after the first one; all other prompts want none.
func (c captureHalf) corrections(sessions []captureSession) {
	var precision, recall, words share
	for _, s := range sessions {
		if !c.has(s.ID) {
			continue
		}
		must, wants := s.correction()
		found, first := "", true
		for _, e := range s.Events {
			if e.Type != "prompt" {
				continue
			}
			text, ok := capture.Correction(e.Text)
			if ok {
				precision.add(wants && !first)
			}
			if ok && (!wants || first) {
				c.miss(s.ID, "taken for a correction", e.Text)
			}
			if !first {
				found = cmp.Or(found, text)
			}
			first = false
		}
		if !wants {
			continue
		}
		recall.add(found != "")
		words.add(found != "" && !slices.ContainsFunc(must, func(w string) bool {
			return !strings.Contains(found, w)
		}))
		if found == "" {
			c.miss(s.ID, "correction missed", s.Events[len(s.Events)-1].Text)
		}
	}
	c.rate("precision of corrections", precision)
	c.rate("recall of corrections", recall)
	c.rate("with all wanted words", words)
}

// correction returns the words that the correction in a session must have, if it has one.
func (s captureSession) correction() (must []string, wants bool) {
	for _, w := range s.Want {
		if w.Class == "correction" {
			return w.Must, true
		}
	}
	return nil, false
}
