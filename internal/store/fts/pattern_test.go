package fts

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"pgregory.net/rapid"
)

// What is a pattern, and what are words that only look like one.
func TestParsePattern(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ru*": "ru*", "Conf**": "conf*", "da*se": "da*se", "*Base": "*base", "h?ader": "h?ader",
		"?ook": "?ook", "a*b?c?": "a*b?c", "net/h*r.go": "net/h*r.go", "naïve*": "naive*",
		"c*-?d": "c*-?d", "牙*": "牙*",
		"what?": "", "really??": "", "*": "", "?": "", "**": "", "-*": "", "牙?科": "", "牙*科": "",
		"http://x?y": "", "http://x*": "", "f(*)x": "", "word": "", "/user*": "", "a?b=c": "",
	} {
		p, ok := analyzer.ParsePattern(text)
		if string(p) != want && ok || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, p, ok, want)
		}
	}
}

// A pattern is the regular expression that it reads like.
func TestPatternMatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`[ab牙*?]{0,6}`).Draw(t, "pattern")
		word := rapid.StringMatching(`[ab牙]{0,7}`).Draw(t, "word")
		re := strings.NewReplacer("*", ".*", "?", ".").Replace(p)
		want := regexp.MustCompile("^(?:" + re + ")$").MatchString(word)
		if got := analyzer.Pattern(p).Matches(word); got != want {
			t.Fatalf("%q matches %q: %v", p, word, got)
		}
	})
}

// Wildcards find words in any field, in any case, and with one all forms of its stem.
func TestWildcardsFindWords(t *testing.T) {
	t.Parallel()
	tail := NewTail()
	for key, text := range map[string]string{
		"/a": `{"text":"The DATABASE is down"}`, "/b": `{"note":"databases, many"}`,
		"/c": `{"tags":["dataset"]}`, "/d": `"header.go has a fault"`, "/e": `"a plain text"`,
	} {
		tail.Add(record(key, text, 1))
	}
	for text, want := range map[string]string{
		"data*se": "/a /b", "*BASES": "/a /b", "data*": "/a /b /c", "h?ader": "/d", "h*.go": "/d",
		"?at*t": "/c", "x*y": "", "fau?t": "/d",
		"FAUL?": "/d", "fault?": "/d", "fau?": "", "what is a faul?": "", "plai?": "/e",
		"datab???": "/a /b", "DATA?????": "/a /b", "data??": "", "what is a fau??": "",
		"plain???": "/e", "*eade?": "/d", "*eader?": "/d", "d*bas??": "/a /b", "?eade?": "/d",
		"data*?": "/a /b /c", "*ead?": "",
	} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Search(nil, tail, q, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, h := range res.Hits {
			if !h.FromNeighbor {
				keys = append(keys, h.Key)
			}
		}
		slices.Sort(keys)
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
