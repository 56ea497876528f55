package foreign_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/foreign"
)

// read returns the items of a file of guidance: line, headings, text.
func guidanceOf(t *testing.T, text string) (list []string, keys map[string]bool) {
	t.Helper()
	keys = map[string]bool{}
	for rec, err := range foreign.ReadGuidance("sub/CLAUDE.md", []byte(text)) {
		if err != nil {
			t.Fatal(err)
		}
		title := jsontext.Unquote(content.Member(rec.Content, "title"))
		list = append(list, fmt.Sprintf("%d %s|%s", rec.Line, title,
			content.Parse(rec.Content).Text))
		keys[rec.Key.String()] = true
	}
	return list, keys
}

// Each bullet and each paragraph is an item below its headings.
func TestReadGuidance(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", ""},
		"nothing in a bullet": {"# X\n- a\n-\n- <!-- todo -->\n2.\n- b\n", "2 X|a;6 X|b"},
		"underlined": {"Shop\n====\n- a\n\nTests\n---\n- b\n\nText\n\n---\nmore\n",
			"3 Shop|a;7 Shop › Tests|b;9 Shop › Tests|Text;12 Shop › Tests|more"},
		"paragraphs": {"One.\nstill one.\n\nTwo.", "1 |One.\nstill one.;4 |Two."},
		"headings": {"# A\n## B\n- b\n# C\nc\n### D\nd\n",
			"3 A › B|b;5 C|c;7 C › D|d"},
		"bullets": {"- a\n* b\n+ c\n1. d\n2) e\n- [ ] f\n", "1 |a;2 |b;3 |c;4 |d;5 |e;6 |f"},
		"nested": {"- a\n  - deeper\n  more\n\n  after a gap\n- b\n",
			"1 |a\n  - deeper\n  more\n  after a gap;6 |b"},
		"lead": {"When you commit:\n\n- test\n- push\n\nElse wait.\n- c",
			"3 |When you commit: test;4 |When you commit: push;6 |Else wait.;7 |c"},
		"code": {"Build:\n```sh\n# no heading\n- no bullet\n```\nafter\n",
			"1 |Build:\n```sh\n# no heading\n- no bullet\n```\nafter"},
		"comments, includes, rules, our block": {
			"<!-- a\nb -->\n@README.md\n\n---\n<!-- mem:begin -->\n- ours\n" +
				"<!-- mem:end -->\n- theirs\n",
			"9 |theirs"},
		"head":        {"---\nname: x\n---\n- a\n", "4 |a"},
		"Windows":     {"# A\r\n- a\r\n- b\r\n", "2 A|a;3 A|b"},
		"no new line": {"- a", "1 |a"},
	} {
		list, _ := guidanceOf(t, c.text)
		if got := strings.Join(list, ";"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// An item is the same memory wherever it stands in the file, and another one under another heading
// or with another text.
func TestGuidanceKeys(t *testing.T) {
	_, before := guidanceOf(t, "# A\n- one\n- two\n# B\n- one\n")
	_, after := guidanceOf(t, "# B\n- one\n\n# A\n\nnew\n\n- two\n- one!\n- one\n")
	same := 0
	for key := range before {
		if after[key] {
			same++
		}
	}
	if len(before) != 3 || len(after) != 5 || same != 3 {
		t.Errorf("%d of %v are in %v", same, before, after)
	}
	for _, name := range []string{"CLAUDE.md", "x/agents.md", "GEMINI.md"} {
		if !foreign.IsGuidance(name) {
			t.Error(name)
		}
	}
	if foreign.IsGuidance("MEMORY.md") || foreign.IsGuidance("README.md") {
		t.Error("a folder's index is read as a folder is")
	}
}
