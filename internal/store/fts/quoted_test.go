package fts

import (
	"strings"
	"testing"
)

// A title that a question quotes counts as its words; else a phrase is a condition.
func TestQuotedTitles(t *testing.T) {
	records := recordsOf(keyed(append(garden(3),
		record("/a/1", `{"text":"We talked of Nicole and of becoming parents, of Nicole again"}`, 1),
		record("/a/2", `{"text":"I have read a novel, Becoming Nicole, on the train to work"}`, 2),
		record("/b/3", `{"text":"Courage and pride, says the book"}`, 3),
	)))
	for query, want := range map[string]string{
		`What did she take away from the book "Becoming Nicole"?`: "/a/1 /a/2 /b/3",
		`did Anna like "Becoming Nicole"`:                         "/a/1 /a/2",
		`book "Becoming Nicole"`:                                  "/a/2",
		`"Becoming Nicole"`:                                       "/a/2",
		`who wrote "Of Mice and Men", the book`:                   "/b/3",
	} {
		q, err := ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		tail := NewTail()
		for _, r := range records {
			tail.Add(r)
		}
		res, err := Search(nil, tail, q, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range res.Hits {
			if !h.FromNeighbor {
				got = append(got, h.Key)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
}
