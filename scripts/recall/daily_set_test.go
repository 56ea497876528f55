package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/kljensen/snowball/english"
)

const dailyDir = "testdata/daily"

// few is in how many memories at most a word stands that tells one from the others, and rare is
// that of a name.
const few, rare = 5, 2

// The classes are what the package comment says, counted over what is visible where the prompt is
// typed.
func TestClassesOfPrompts(t *testing.T) {
	d := readDaily(t)
	count, long := map[string]int{}, 0
	for _, p := range d.prompts {
		count[p.Class]++
		if p.Long {
			long++
		}
		in := d.visible(p.Repo)
		found := classes[len(classes)-1]
		var why []string
		for _, id := range p.Evidence {
			class, shared := classOf(in, id, p.Prompt, namesIn(d.text(id)))
			why = append(why, shared...)
			if slices.Index(classes[:], class) < slices.Index(classes[:], found) {
				found = class
			}
		}
		if found != p.Class {
			t.Errorf("%s is %s and not %s: %q shares %q with %q", p.ID, found, p.Class, p.Prompt, why, p.Evidence)
		}
	}
	for _, class := range classes {
		if count[class] != 20 {
			t.Errorf("%d prompts are %s", count[class], class)
		}
	}
	if long != 20 {
		t.Errorf("%d prompts are whole sentences", long)
	}
}

// classOf returns how much a prompt has in common with a memory, which has some names, and the
// words that are shared and stand in few.
func classOf(in map[string]map[string]bool, id, prompt string, names map[string]bool) (
	class string, shared []string) {
	words := stems(prompt)
	most := 0
	for w := range words {
		n := 0
		for _, note := range in {
			if note[w] {
				n++
			}
		}
		if !in[id][w] || n > few {
			continue
		}
		shared = append(shared, w)
		if !english.IsStopWord(w) {
			most++
		}
		if n <= rare && (strings.ContainsFunc(w, isInner) || names[w]) {
			most = few
		}
	}
	switch {
	case len(shared) == 0:
		return "hard", nil
	case most <= 2:
		return "middle", shared
	}
	return "easy", shared
}

// isInner reports whether a sign makes an identifier of a word.
func isInner(r rune) bool { return strings.ContainsRune("_/.-@", r) || unicode.IsDigit(r) }

var (
	identifier = regexp.MustCompile(`[A-Za-z0-9@][A-Za-z0-9_./@-]*[A-Za-z0-9]`)
	word       = regexp.MustCompile(`[A-Za-z]+|[0-9]+`)
	camel      = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	name       = regexp.MustCompile(`[a-z,(] *([A-Z][A-Za-z]+)`)
	han        = regexp.MustCompile(`\p{Han}+`)
)

// namesIn returns the names in a text, which have a capital in the midst of a sentence.
func namesIn(text string) map[string]bool {
	set := map[string]bool{}
	for _, found := range name.FindAllStringSubmatch(text, -1) {
		set[english.Stem(strings.ToLower(found[1]), true)] = true
	}
	return set
}

// stems returns the words of a text: identifiers as they are, their parts and all other words by
// their stems, and of Chinese each pair.
func stems(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range identifier.FindAllString(text, -1) {
		if strings.ContainsFunc(w, isInner) {
			set[strings.ToLower(w)] = true
		}
	}
	for _, w := range word.FindAllString(text, -1) {
		for _, part := range append(camel.FindAllString(w, -1), w) {
			set[english.Stem(strings.ToLower(part), true)] = true
		}
	}
	for _, run := range han.FindAllString(text, -1) {
		signs := []rune(run)
		for i := range len(signs) - 1 {
			set[string(signs[i:i+2])] = true
		}
	}
	return set
}

func (d day) text(id string) string {
	return d.notes[slices.IndexFunc(d.notes, func(n dayNote) bool { return n.ID == id })].Text
}

// visible returns the words of the memories that can be told in a repository, by id.
func (d day) visible(repo string) map[string]map[string]bool {
	in := map[string]map[string]bool{}
	for _, n := range d.notes {
		if n.Repo == repo || n.Repo == userRepo {
			in[n.ID] = stems(n.Text + " " + strings.Join(n.Tags, " ") + " " + strings.ReplaceAll(n.Key, "/", " "))
		}
	}
	return in
}

// There is as much as is said, and each prompt asks for what can be told where it is typed.
func TestDailyIsWhole(t *testing.T) {
	d := readDaily(t)
	if len(d.notes) != 200 || len(d.prompts) != 60 || len(d.off) != 40 || len(d.facts) != 50 {
		t.Errorf("%d notes, %d prompts, %d of other things, %d facts", len(d.notes), len(d.prompts), len(d.off), len(d.facts))
	}
	ids := map[string]dayNote{}
	var last time.Time
	for _, n := range d.notes {
		if _, twice := ids[n.ID]; twice || n.TS.Before(last) || (n.Type == "") != (n.Key == "") {
			t.Errorf("%+v is twice, too early or has no key", n)
		}
		ids[n.ID], last = n, n.TS
	}
	for _, p := range d.prompts {
		for _, id := range p.Evidence {
			if repo := ids[id].Repo; repo != p.Repo && repo != userRepo {
				t.Errorf("%s asks in %s for %s of %q", p.ID, p.Repo, id, repo)
			}
		}
		if p.Long != isSentences(p.Prompt) {
			t.Errorf("%s is of whole sentences: %v: %s", p.ID, !p.Long, p.Prompt)
		}
	}
	long := 0
	for _, p := range d.off {
		if len(p.Prompt) > 300 != p.Long {
			t.Errorf("%s has %d bytes", p.ID, len(p.Prompt))
		}
		if p.Long {
			long++
		}
	}
	if long != 10 {
		t.Errorf("%d prompts of other things are long", long)
	}
}

var end = regexp.MustCompile(`[.?!](\s|$)|[。?!]`)

// isSentences reports whether a text is one to three whole sentences.
func isSentences(text string) bool {
	ends := end.FindAllStringIndex(text, -1)
	first := []rune(text)[0]
	return len(ends) >= 1 && len(ends) <= 3 && ends[len(ends)-1][1] == len(text) && !unicode.IsLower(first)
}

// A fact changes once or twice, and all of its texts differ.
func TestFactsChange(t *testing.T) {
	twice := 0
	for _, f := range readDaily(t).facts {
		if len(f.Texts) == 3 {
			twice++
		} else if len(f.Texts) != 2 {
			t.Errorf("%s has %d texts", f.ID, len(f.Texts))
		}
		for i, v := range f.Texts[1:] {
			if !v.TS.After(f.Texts[i].TS) || v.Text == f.Texts[i].Text {
				t.Errorf("%s: %q is no change", f.ID, v.Text)
			}
		}
	}
	if twice == 0 {
		t.Error("no fact changes twice")
	}
}

func readDaily(t *testing.T) day {
	t.Helper()
	d := readDay(dailyDir)
	return d
}

func TestHalf(t *testing.T) {
	list := []int{1, 2, 3}
	for which, want := range map[string][]int{"": {1, 2, 3}, "first": {1, 3}, "second": {2}} {
		if got := half(list, which); !slices.Equal(got, want) {
			t.Errorf("%q: %v", which, got)
		}
	}
}

// Every hard prompt has two wordings of 4 to 8 words.
func TestWordings(t *testing.T) {
	d := readDay("testdata/daily")
	worded := map[string]bool{}
	for _, w := range d.words {
		worded[w.ID] = true
		for _, words := range w.Words {
			if n := len(strings.Fields(words)); n < 4 || n > 8 {
				t.Errorf("%s: %d words: %s", w.ID, n, words)
			}
		}
	}
	for _, p := range d.prompts {
		if worded[p.ID] != (p.Class == "hard") {
			t.Errorf("%s, %s: has wordings: %v", p.ID, p.Class, worded[p.ID])
		}
	}
}
