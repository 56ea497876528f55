package inject

import (
	"strings"
	"testing"
)

// A message of a few sentences is searched for by each of them, any other one as a whole.
func TestSentences(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"which port is the database on?", ""},
		{"which port is the database on? and who is on call today",
			"which port is the database on|and who is on call today"},
		{"use db.port here. or not, as you like", "use db.port here|or not, as you like"},
		{"see main.go; fix the two tests\nthen push it to main",
			"fix the two tests|then push it to main"},
		{"use the fix no. 5 in the parser, e.g. Main. Then push it",
			"use the fix no. 5 in the parser, e.g. Main|Then push it"},
		{"数据库的端口是什么？谁今天值班呢？", "数据库的端口是什么|谁今天值班呢"},
		{"no. yes. the second sentence is long", ""},
		{strings.Repeat("one more sentence. ", 5), ""},
		{"broken \xff bytes here. and then a second", "broken \xff bytes here|and then a second"},
	} {
		if got := strings.Join(sentences(c[0]), "|"); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}
