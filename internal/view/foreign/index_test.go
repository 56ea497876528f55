package foreign_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/foreign"
	"pgregory.net/rapid"
)

func topics(names ...string) func(string) bool {
	return func(name string) bool {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	}
}

func TestReadIndex(t *testing.T) {
	for _, tt := range []struct{ what, text, want string }{
		{"empty", "", ""},
		{"links and headings", "# Memory\n\n- [A](a.md) — about a\n* [B [1]](./b%20c.md)\r\n## " +
			"More\n", ""},
		{"a link to nothing", "- [A](gone.md)\n", `{"title":"MEMORY","text":"- [A](gone.md)"}`},
		{"a line of its own", "# Memory\n- [A](a.md)\n\nRemember.\n",
			`{"title":"MEMORY","text":"# Memory\n\nRemember."}`},
		{"a link in a sentence", "See [A](a.md).", `{"title":"MEMORY","text":"See [A](a.md)."}`},
	} {
		rec, ok, err := foreign.ReadIndex([]byte(tt.text), topics("a.md", "b c.md"))
		if err != nil || ok != (tt.want != "") || string(rec.Content) != tt.want {
			t.Errorf("%s: %s (%v, %v), want %s", tt.what, rec.Content, ok, err, tt.want)
		}
	}
	if _, _, err := foreign.ReadIndex([]byte("\xff"), topics()); err == nil {
		t.Error("what is no text passes")
	}
}

// A page stays within its bounds whatever is put on it, is known as mem's, says nothing of its own,
// and no line of it is another's.
func TestPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := foreign.NewPage()
		var added []string
		for i := range rapid.IntRange(0, 230).Draw(t, "lines") {
			line := strings.Map(func(r rune) rune {
				if r < ' ' {
					return ' '
				}
				return r
			}, strings.Repeat(rapid.SampledFrom([]string{"x", "牙", "<!-- ", " @/etc/passwd",
				"# "}).Draw(t, "of"), rapid.SampledFrom([]int{1, 30, 400}).Draw(t, "times")))
			if p.Add(fmt.Sprint(line, i)) {
				added = append(added, line)
			}
		}
		if p.Add(strings.Repeat("x", foreign.MaxBytes)) {
			t.Fatal("a line of the whole page fits")
		}
		text := string(p.Bytes())
		if len(text) > foreign.MaxBytes || strings.Count(text, "\n") > foreign.MaxLines {
			t.Fatalf("%d bytes, %d lines", len(text), strings.Count(text, "\n"))
		}
		if got := strings.Count(text, "\n- "); got != len(added) ||
			strings.Count(text, "\n#") != 1 {
			t.Fatalf("%d entries, want %d:\n%.500s", got, len(added), text)
		}
		if strings.Count(strings.ReplaceAll(text, `\<!--`, ""), "<!--") != 2 ||
			strings.Contains(text, " @") {
			t.Fatalf("something works in it:\n%.500s", text)
		}
		if !foreign.OwnPage([]byte(text)) || foreign.OwnPage([]byte(text+"more\n")) ||
			foreign.OwnPage([]byte(strings.Replace(text, "Memory", "Nemory", 1))) {
			t.Fatal("a page is not known, or a changed one is")
		}
		if rec, ok, err := foreign.ReadIndex([]byte(text), topics()); ok || err != nil {
			t.Fatalf("it says %s, %v", rec.Content, err)
		}
		rec, ok, err := foreign.ReadIndex([]byte(text+"more\n"), topics())
		if !ok || err != nil || string(rec.Content) != `{"title":"MEMORY","text":"more"}` {
			t.Fatalf("what was added is %s, %v", rec.Content, err)
		}
	})
}

func TestMayReplaceIndex(t *testing.T) {
	p := foreign.NewPage()
	p.AddLink("A [1]", "a.md", "about a")
	text := string(p.Bytes())
	if !strings.Contains(text, "- [A (1)](a.md) — about a\n") {
		t.Errorf("link: %s", text)
	}
	inside := strings.Replace(text, "- [A", "- [B](b.md)\nnew\n- [A", 1)
	for _, tt := range []struct {
		what, text, live string
		want             bool
	}{
		{"untouched", text, "", true},
		{"a link more", text + "- [B](b.md)\n", "", true},
		{"a link to elsewhere", text + "- [C](c.md)\n", "", false},
		{"a line more", text + "new\n", "", false},
		{"a line more that is stored", text + "new\n", `{"text":"new","title":"MEMORY"}`, true},
		{"a line inside", inside, "", false},
		{"somebody else's", "# Memory\n", "", false},
		{"empty", "", "", false},
	} {
		var live []byte
		if tt.live != "" {
			live = []byte(tt.live)
		}
		if got := foreign.MayReplaceIndex([]byte(tt.text), topics("a.md", "b.md"),
			live); got != tt.want {
			t.Errorf("%s: %v", tt.what, got)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":"\u7259"}`, `{"b":"牙","a":1}`, true}, {`{"a":1}`, `{"a":1.0}`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false}, {`{"a":1,"b":2}`, `{"a":1}`, false},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"c":2,"b":1}}`, true}, {`[1,2]`, `[2,1]`, false},
		{`"a"`, `"\u0061"`, true}, {`null`, `"null"`, false}, {`{}`, `[]`, false},
		{``, `1`, false},
	} {
		if jsontext.Equal([]byte(tt.a), []byte(tt.b)) != tt.want ||
			jsontext.Equal([]byte(tt.b), []byte(tt.a)) != tt.want {
			t.Errorf("Equal(%s, %s) is not %v", tt.a, tt.b, tt.want)
		}
	}
}
