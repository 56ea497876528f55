package fts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/log"
)

// shares makes the evidence of a hit: its own score, then its terms with what each is worth. A term
// with a capital letter is a name, a hit with a ! is evidence enough, and one with a *
// was said.
func shares(text string) *Evidence {
	e := &Evidence{Clear: strings.HasSuffix(text, "!")}
	fields := strings.Fields(strings.TrimSuffix(text, "!"))
	fmt.Sscan(fields[0], &e.Own)
	for _, f := range fields[1:] {
		if f == "*" {
			e.Spoken = true
			continue
		}
		term, worth, _ := strings.Cut(f, "=")
		s := Shared{Term: term, Name: strings.ToLower(term) != term}
		fmt.Sscan(worth, &s.Worth)
		e.Terms = append(e.Terms, s)
	}
	return e
}

func TestFocus(t *testing.T) {
	for _, c := range []struct {
		name string
		hits []string // the oldest first by i, so that each is newer than those before
		want string
	}{
		{"none", nil, ""},
		{"a much weaker one goes", []string{"8 a=4 b=4!", "3 a=4!", "7 c=3"}, "x.."},
		{"one as good stays", []string{"8 a=4 b=4!", "4 a=4"}, "xx"},
		{"good words in a long text do not", []string{"8 a=4 b=4!", "3 a=4 b=4!"}, "x."},
		{"the best need not be the first", []string{"2 a=2", "8 a=4 b=4!", "4 b=4"}, ".xx"},
		{"a newer one with the name", []string{"8 Port=5 b=4!", "3 Port=5 c=1"}, "xx"},
		{"without it", []string{"8 port=5 b=4!", "3 port=5 c=1"}, "x."},
		{"with the name, and too little else", []string{"8 Port=5 b=4!", "2 Port=5 c=1"}, "x."},
		{"a second subject", []string{"8 a=4 b=4!", "2 c=4!"}, "xx"},
		{"that is not evidence enough", []string{"8 a=4 b=4!", "2 c=4"}, "x."},
		{"that has been covered", []string{"8 a=4 b=4!", "2 a=4!"}, "x."},
		{"what was said", []string{"8 a=4 b=4!", "1 *", "0 *"}, "xxx"},
		{"one where none is", []string{"8 a=4 b=4", "8 a=4 b=4"}, "x."},
		{"five", strings.Split(strings.Repeat("8 a=4!;", 6)+"8 a=4!", ";"), "xxxxx.."},
	} {
		var hits []*Evidence
		for i, text := range c.hits {
			e := shares(text)
			e.Time = log.Stamp(i)
			hits = append(hits, e)
		}
		got := ""
		for _, kept := range Focus(hits) {
			got += map[bool]string{true: "x", false: "."}[kept]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	older := []*Evidence{shares("8 Port=5 b=4!"), shares("3 Port=5 c=1")}
	older[0].Time = 1
	if kept := Focus(older); kept[1] {
		t.Error("an older one with the name is kept")
	}
}

// The evidence of a hit does not depend on where its record lies, nor on how often it was noted.
func TestEvidence(t *testing.T) {
	notes := []log.Record{
		record("/note/1", `{"text":"The payments database listens on port 6543"}`, 1),
		record("/note/2", `{"text":"The payments database listens on port 6543"}`, 2),
		record("/note/3", `{"text":"Coffee is on the third floor"}`, 3),
	}
	rows := recordsOf(keyed(append(notes, garden(60)...)))
	ix, tail := sidecarOf(t, 1<<20, rows), NewTail()
	for _, r := range rows {
		tail.Add(r)
	}
	load := func(row int) (log.Record, error) { return rows[row], nil }
	var got [2]string
	for i, search := range []func(*Query, Options) (*Result, error){
		func(q *Query, o Options) (*Result, error) { return Search(ix, nil, q, o) },
		func(q *Query, o Options) (*Result, error) { return Search(nil, tail, q, o) },
	} {
		res, err := search(Words("is the payments port open?"), Options{Load: load})
		if err != nil {
			t.Fatal(err)
		}
		relevant, err := res.Relevant()
		if err != nil {
			t.Fatal(err)
		}
		list, err := res.Evidence(len(relevant))
		if err != nil {
			t.Fatal(err)
		}
		for n, e := range list {
			got[i] += fmt.Sprintln(relevant[n].Key, e.Time, e.Clear, len(e.Terms), e.Own > 0)
		}
	}
	want := "/note/2 1970-01-01T00:00:00.000002Z true 2 true\n" +
		"/note/1 1970-01-01T00:00:00.000001Z true 2 true\n" +
		"/note/3 1970-01-01T00:00:00.000003Z false 0 false\n"
	if got[0] != want || got[1] != want {
		t.Errorf("in the sidecar\n%sin the tail\n%swant\n%s", got[0], got[1], want)
	}
}
