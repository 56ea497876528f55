package fts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/log"
)

// relevantIn returns the keys of what is clearly relevant to a prompt, in tail and sidecar.
func relevantIn(t *testing.T, prompt string, records ...log.Record) string {
	t.Helper()
	rows := recordsOf(keyed(records))
	ix, tail := sidecarOf(t, 1<<20, rows), NewTail()
	for _, r := range rows {
		tail.Add(r)
	}
	load := func(row int) (log.Record, error) { return rows[row], nil }
	var got [2]string
	for i, in := range []struct {
		ix   *Index
		tail *Tail
	}{{ix, nil}, {nil, tail}} {
		res, err := Search(in.ix, in.tail, Words(prompt), Options{Limit: 20, Load: load})
		if err != nil {
			t.Fatal(err)
		}
		hits, err := res.Relevant()
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			got[i] += h.Key + " "
		}
	}
	if got[0] != got[1] {
		t.Errorf("%s: %q in the sidecar, %q in the tail", prompt, got[0], got[1])
	}
	return strings.TrimSpace(got[0])
}

func keyed(records []log.Record) map[string]log.Record {
	all := map[string]log.Record{}
	for _, r := range records {
		all[r.Key.String()] = r
	}
	return all
}

// garden returns so many records of other things.
func garden(n int) (list []log.Record) {
	plants := strings.Fields("rose tulip daisy lily poppy iris fern moss oak elm ash yew")
	for i := range n {
		text := fmt.Sprintf(`{"text":"The %s by the %s wants water, bed %d"}`, plants[i%12],
			plants[i/12%12], i)
		list = append(list, record(fmt.Sprint("/garden/", i), text, log.Stamp(i)))
	}
	return list
}

func TestOneRareNameSuffices(t *testing.T) {
	note := func(text string) []log.Record {
		return append(garden(400), record("/n", fmt.Sprintf(`{"text":%q}`, text), 1))
	}
	const ask = "could you please have a look why keycloak complains about certificates"
	for _, c := range []struct{ what, prompt, text, want string }{
		{"a name", ask, "Keycloak runs in the cluster of the platform team.", "/n"},
		{"nobody writes it as one", ask, "we use keycloak in the cluster of the platform team", ""},
		{"the prompt does", strings.ReplaceAll(ask, "keycloak", "Keycloak"),
			"we use keycloak in the cluster of the platform team", "/n"},
		{"an identifier", "could you please have a look why idem_keys grows so quickly",
			"rows of idem_keys live for a month", "/n"},
		{"a word of every day",
			"could you please have a look why the Rabbit complains about certificates",
			"Rabbit food is in the cellar of the platform team.", ""},
		{"too little of the prompt", ask + " and about expired sessions whenever the nightly " +
			"import of accounting records overlaps with maintenance windows in Reykjavik or " +
			"Ljubljana",
			"Keycloak runs in the cluster of the platform team.", ""},
	} {
		if got := relevantIn(t, c.prompt, note(c.text)...); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// A fact that was noted again is told as it was before.
func TestCopiesMakeNothingLessRare(t *testing.T) {
	const prompt = "what do I have to do before I go and change the invoice template"
	note := func(i int) log.Record {
		text := []string{"Invoice PDFs come from a template", "invoice  PDFs come from A template"}
		return record(fmt.Sprint("/note/", i), fmt.Sprintf(`{"text":%q}`, text[i%2]), log.Stamp(i))
	}
	for _, others := range []int{2, 8, 100} {
		records := append(garden(others), note(0))
		if got := relevantIn(t, prompt, records...); got != "/note/0" {
			t.Fatalf("noted once, among %d others: %q", others, got)
		}
		for i := 1; i < 9; i++ {
			records = append(records, note(i))
		}
		if got := relevantIn(t, prompt, records...); !strings.Contains(got, "/note/0") {
			t.Errorf("noted nine times, among %d others: %q", others, got)
		}
	}
}

func TestUncommonWords(t *testing.T) {
	for word, want := range map[string]string{
		"Keycloak": "keycloak", "rabbit": "", "Rome": "", "idem_keys": "idem_keys idem",
		"statement.DayOf": "statement.dayof dayof", "2nd": "", "3.5": "", "sign-in": "",
		"v2beta": "v2beta",
		"don't":  "", "API": "", "RNA": "", "zustands": "zustand", "it": "",
	} {
		q := Words(word)
		got := ""
		for _, u := range q.uncommon {
			got = strings.TrimSpace(got + " " + u.term)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
