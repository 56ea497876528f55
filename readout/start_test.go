package readout

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
)

// startPage returns the page of a start, with the text that its lines have in a block.
func startPage(t *testing.T, limit int, items []Item) (Page, string) {
	t.Helper()
	p := fill(Query{Now: now, Limit: limit, Start: true, Labels: &Labels{}}, items)
	text, shown := Block{Most: 1 << 20}.Text(p)
	if len(p.Entries) != shown || p.Tokens > limit {
		t.Errorf("%d tokens of %d, %d of %d lines", p.Tokens, limit, shown, len(p.Entries))
	}
	return p, text
}

// ofType is a memory of a type that is so many hours old.
func ofType(key, kind, text string, hours int) Item {
	it := note(key, hours, content.Fields{Type: kind, Text: text, Importance: 0.5})
	it.Content = []byte(`{"status":"` + map[bool]string{true: "done", false: "open"}[strings.
		HasSuffix(text, "(done)")] + `"}`)
	return it
}

// fixes are the notes of an agent that notes each fix.
func fixes(n int) (items []Item) {
	ways := []string{"by waiting for data", "by mocking clock", "by closing tooltip"}
	for i := range n {
		items = append(items, ofType(fmt.Sprintf("/fix/%03d", i), "fix",
			fmt.Sprintf("Fixed flaky widget %d %s", i, ways[i%len(ways)]), n-i))
	}
	return items
}

func TestStartKeepsTheFactsAboutTheWhole(t *testing.T) {
	const old = 2000
	cases := []struct {
		name string
		item Item
		want bool
	}{
		{"architecture", ofType("/a", "architecture", "Three parts: api, web, widgets", old), true},
		{"decision", ofType("/d", "Decision", "Releases are tags", old), true},
		{"convention", ofType("/c", "convention", "Instants in UTC", old), true},
		{"environment", ofType("/e", "environment", "Node 22.9 by mise", old), true},
		{"instruction", ofType("/i", "", "Secrets must never be in .env", old), true},
		{"Chinese instruction", ofType("/z", "", "金额必须用整数,一律不许用浮点数", old), true},
		{"open task", ofType("/t", "task", "Repair the tenant switch", old), true},
		{"finished task", ofType("/f", "task", "Rename the kit (done)", 1), false},
		{"handoff", ofType("/h", "handoff", "The parser works", old), true},
	}
	items := append(fixes(60), ofType("/g", "handoff", "The lexer works", old+1))
	for _, c := range cases {
		items = append(items, c.item)
	}
	p, text := startPage(t, 450, items)
	for _, c := range cases {
		if has := strings.Contains(text, c.item.Fields.Text+"\n"); has != c.want {
			t.Errorf("%s: on the page %v, want %v", c.name, has, c.want)
		}
	}
	if p.Entries[0].Key != "/t" || p.Entries[1].Key != "/h" {
		t.Errorf("%s, %s come first", p.Entries[0].Key, p.Entries[1].Key)
	}
	if at := strings.Index(text, "The lexer"); at >= 0 && at < strings.Index(text, "金额") {
		t.Error("the older handoff is before facts")
	}
	if t.Failed() {
		t.Log(text)
	}
}

var summaryLine = regexp.MustCompile(`\n(\d+) more about (.+): mem search "(.+)"\n`)

// The rest of a kind is one line, whatever the order of the memories, and that of the page is the
// same each time.
func TestStartSumsUpRepeats(t *testing.T) {
	items := fixes(60)
	_, text := startPage(t, 400, items)
	m := summaryLine.FindStringSubmatch(text)
	if m == nil || m[2] != "fixed flaky widget" || m[3] != m[2] {
		t.Fatalf("%q in\n%s", m, text)
	}
	if lines := strings.Count(text, "widget "); fmt.Sprint(60-lines) != m[1] {
		t.Errorf("%d lines and %s held back", lines, m[1])
	}
	for range 5 {
		items = append(items[7:], items[:7]...)
		if _, again := startPage(t, 400, items); again != text {
			t.Errorf("%s\nand\n%s", text, again)
		}
	}
	cut := strings.TrimSuffix(text, blockEnd)
	if got := Unfence("a\n" + cut + "b"); got != "a\nb" {
		t.Errorf("left by Unfence: %q", got)
	}
}

// Where everything has room, the page is that of any other read, but for finished tasks.
func TestStartHoldsNothingBackNeedlessly(t *testing.T) {
	items := append(fixes(20), ofType("/a", "architecture", "Three parts: api and web", 2000))
	all := fill(Query{Now: now, Limit: 2000, Labels: &Labels{}}, items)
	want, _ := Block{Most: 1 << 20}.Text(all)
	if _, got := startPage(t, 2000, items); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	done := ofType("/t", "task", "Rename the kit (done)", 1)
	if _, got := startPage(t, 2000, append(items, done)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A search takes "don't" for one word, so a summary names no piece of it.
func TestSummaryNamesWholeWords(t *testing.T) {
	var items []Item
	for i := range 60 {
		items = append(items, ofType(fmt.Sprintf("/fix/%03d", i), "fix",
			fmt.Sprintf("Don't won't retry widget tooltip %d", i), 60-i))
	}
	_, text := startPage(t, 300, items)
	if m := summaryLine.FindStringSubmatch(text); m == nil || m[2] != "retry widget tooltip" {
		t.Errorf("%q in\n%s", m, text)
	}
}
