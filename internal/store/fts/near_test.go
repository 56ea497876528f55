package fts

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/test/testkit"
	"pgregory.net/rapid"
)

func TestNear(t *testing.T) {
	t.Parallel()
	const db = "The database of the shop listens on port 5432 at db1"
	for _, c := range []struct {
		text, content string
		near          bool
	}{
		{db, `{"text":"The database of the shop listens on port 5433 at db1"}`, true},
		{db, `{"text":"the DATABASE of the Shop: listens (on port 5432), at db1!"}`, true},
		{db, `{"text":"The database\nof the\tshop \"listens\" on port\\５４３２ at db1"}`, true},
		{db, `{"summary":"The database of the shop listens on port 5432"}`, true},
		{db, `{"text":"The shop has a database at db1, and it listens"}`, false},
		{db, `{"note":"The database of the shop listens on port 5432 at db1"}`, false},
		{db, `{"text":"shop listens on port 5432"}`, true}, // a short text within a long one
		{db, `{"text":"port 5432"}`, false},                // one pair is too little
		{db, `null`, false},
		{"用户不喜欢吃香菜", `{"text":"用户不喜欢吃香菜和葱"}`, true},
		{"用户不喜欢，吃香菜。", `{"text":"用户 不喜欢 吃香菜"}`, true},
		{"用户喜欢猫", `{"text":"用户不喜欢吃香菜"}`, false},
		{"コーヒーを飲む人", `{"text":"コーヒーを飲む犬"}`, true},
		{"Ärzte öffnen früh am Morgen", `{"text":"ärzte Öffnen früh am Abend"}`, true},
		{"tabs", `{"text":"tabs"}`, false}, // no pair at all
		{"tabs 4", `{"text":"Tabs: 4"}`, true},
		{"tabs 4", `{"text":"tabs 4 wide"}`, false},
		{"a tabs 4 wide", `{"text":"tabs 4 wide"}`, true},
		{"???", `{"text":"???"}`, false},
		{"ha ha ha ha", `{"text":"ha ha"}`, true},
		{"Fixed flaky widget 7 by removing a sleep of 2 s",
			`{"text":"Fixed flaky widget 4 by removing a sleep of 2 s"}`, false},
		{"Bug KON-8932 Sorting by city puts Ä last in the client",
			`{"text":"Bug KON-8891 Sorting by city puts Ä last in the client"}`, false},
		{"Widget 7 waits for its data to come", `{"text":"The widget 7 waits for its data"}`, true},
		{"The sandbox of the shop has 3 replicas",
			`{"text":"The sandbox of the shop has 5 replicas"}`, true},
	} {
		n := NewNear(c.text)
		share, near := n.Share(record("/k", c.content, 1))
		if near != c.near || share < 0 || share > 1 {
			t.Errorf("%s to %s: near %v, a share of %v", c.text, c.content, near, share)
		}
		if near && !n.MayMatch([]byte(c.content)) {
			t.Errorf("%s cannot be near to %s", c.text, c.content)
		}
	}
	if NewNear(db).MayMatch([]byte(`{"text":"Deploys run at noon, and the shop has a database"}`)) {
		t.Error("what shares no pair may be near")
	}
}

var nearWords = strings.Fields(`the database listens on port 5432 of a shop user prefers tabs in Go
	deploy runs at noon x 42 café größe база данных 데이터 用 户 喜 欢 吃 香 菜 コ ー ヒ`)

// A text is near to itself with one of its eight words changed, and nearest to itself.
func TestNearToOneOtherWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.Permutation(nearWords).Draw(rt, "words")[:9]
		n := NewNear(strings.Join(words[:8], " "))
		at := rapid.IntRange(0, 7).Draw(rt, "at")
		if n := len(numbersOf(words[at])) + len(numbersOf(words[8])); n == 2 {
			rt.Skip("it may be the number of the thing")
		}
		words[at] = words[8]
		content := jsontext.AppendString([]byte(`{"text":`), strings.Join(words[:8], " "))
		if _, near := n.Share(record("/k", string(content)+"}", 1)); !near || !n.MayMatch(content) {
			rt.Fatalf("%s is not near to %s", content, n.text)
		}
	})
}

// What is near has the shingles in its bytes, however its words begin and are set apart.
func TestWhatIsNearMayMatch(t *testing.T) {
	t.Parallel()
	near := 0
	draw := func(rt *rapid.T, vocabulary []string) string {
		var text strings.Builder
		for range rapid.IntRange(1, 9).Draw(rt, "words") {
			word := rapid.SampledFrom(vocabulary).Draw(rt, "word")
			if first, size := utf8.DecodeRuneInString(word); rapid.Bool().Draw(rt, "capital") {
				word = string(unicode.ToUpper(first)) + word[size:]
			}
			text.WriteString(word)
			text.WriteString(rapid.SampledFrom([]string{" ", ", ", "\n", " \"", "\\", "，", " – ",
				"\x01", "/"}).Draw(rt, "then"))
		}
		return text.String()
	}
	rapid.Check(t, func(rt *rapid.T) {
		vocabulary := rapid.Permutation(nearWords).Draw(rt, "vocabulary")[:3]
		n := NewNear(draw(rt, vocabulary))
		content := fmt.Sprintf(`{"type":"note",%s:%s,"tags":["a"]}`,
			rapid.SampledFrom([]string{`"text"`, `"summary"`}).Draw(rt, "member"),
			jsontext.AppendString(nil, draw(rt, vocabulary)))
		if _, is := n.Share(record("/k", content, 1)); !is {
			return
		}
		if near++; !n.MayMatch([]byte(content)) {
			rt.Fatalf("%q is near to %s, and cannot be", n.text, content)
		}
	})
	if near < testkit.Extent(1, 10, 10) {
		t.Errorf("only %d were near", near)
	}
}
