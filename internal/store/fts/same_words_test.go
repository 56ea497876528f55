package fts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
)

func TestWordsForOneThing(t *testing.T) {
	t.Parallel()
	for query, text := range map[string]string{
		"prod":          "The production cluster stands in Frankfurt",
		"production":    "Nobody restarts prod on a Friday",
		"k8s upgrade":   "Kubernetes has an upgrade each month",
		"kubernetes":    "k8s manifests stand in deploy/",
		"psql refused":  "PostgreSQL listens at 5433",
		"perf":          "Performance is measured each night",
		"pwd policy":    "A password has 14 letters",
		"a11y checks":   "Accessibility is checked by axe",
		"deps":          "Each dependency is vendored",
		"cart":          "The basket is kept for 30 days",
		"rollback":      "Revert by the previous tag",
		"refunds":       "Reimbursements take 14 days",
		"signin":        "Logins expire after an hour",
		"commencing":    "The release train starts at nine",
		"bought":        "A purchase needs two signatures",
		"began":         "Commence with the checklist",
		"intermittent":  "TestUpload is flaky on arm64",
		"downtime":      "The last outage was in March",
		"moratorium":    "Main is frozen before Christmas",
		"deduplication": "Dedup runs each night",
		"remove column": "A column is dropped two releases later",
	} {
		records := append(garden(30), record("/n", `{"text":"`+text+`"}`, 1))
		ix := sidecarOf(t, 1<<20, records)
		for what, from := range map[string]func() (*Result, error){
			"sidecar": func() (*Result, error) {
				return Search(ix, nil, Words(query), Options{Limit: 1})
			},
			"tail": func() (*Result, error) {
				tail := NewTail()
				for _, r := range records {
					tail.Add(r)
				}
				return Search(nil, tail, Words(query), Options{Limit: 1})
			},
		} {
			res, err := from()
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Hits) == 0 || res.Hits[0].Key != "/n" {
				t.Errorf("%s, in the %s: %v, want %q first", query, what, res.Hits, text)
			}
		}
	}
}

// A prompt that wants to log in means the login, too, and is no less sure where no record has one.
func TestLogin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"where can I log in on staging?": true, "Log into the shop": true, "I am signed in": true,
		"sign in": true, "put the log in /var/log": false, "logs in /var": false,
		"log it in": false, "add logging in the parser": false,
	} {
		if got := slices.Contains(Words(text).Terms(), "login"); got != want {
			t.Errorf("%s: login %v, want %v", text, got, want)
		}
	}
	if q, err := ParseQuery("log in"); err != nil || slices.Contains(q.Terms(), "login") {
		t.Errorf("a search for words has others: %v, %v", q.Terms(), err)
	}
	login := record("/login", `{"text":"The login of staging is demo"}`, 1)
	prompt := "where can I log in on staging?"
	if got := relevantIn(t, prompt, append(garden(20), login)...); got != "/login" {
		t.Errorf("%s: %q", prompt, got)
	}
	with, without := &resolver{query: Words("log in")}, &resolver{query: Words("log")}
	for _, r := range []*resolver{with, without} {
		for _, term := range r.query.terms {
			r.addTerm(openTerm{text: term}, 1)
		}
	}
	if with.out.unmatchedWeight != without.out.unmatchedWeight {
		t.Errorf("without a login: %v, want %v", with.out.unmatchedWeight,
			without.out.unmatchedWeight)
	}
}

// Six sentences on something else, each of which shares its function words with a note.
func TestFunctionWordsAreNoEvidence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prompt, text string }{
		{"Kannst du mir bitte sagen, wie ich das mit dem Auto nach Ulm mache?",
			"Wir haben das mit dem Cache bitte so gelassen, wie ich es dir sagte"},
		{"¿Cómo puedo hacer una tortilla para los amigos de mi hermana?",
			"Los precios se calculan para una semana, no hay que hacer nada, mi puedo"},
		{"Quel est le meilleur vin pour aller avec du poisson dans une sauce blanche?",
			"Le cache est vidé pour une minute avec le script du dossier"},
		{"O que é que eu posso fazer quando não há mais pão para nós?",
			"Quando há mais de dez pedidos não faz mal, mas posso fazer o que eles querem"},
		{"Che cosa posso fare quando non c'è più pane nella mia casa?",
			"Quando non si può fare nella coda, posso dire che è la mia"},
		{"Hoe kan ik het beste naar het strand gaan met een fiets als het niet regent?",
			"Het kan niet met een kopie, als ik het naar een map zet"},
	} {
		note := record("/n", `{"text":"`+c.text+`"}`, log.Stamp(1))
		if got := relevantIn(t, c.prompt, append(garden(20), note)...); got != "" {
			t.Errorf("%s: %s", c.prompt, got)
		}
	}
}

func TestShortTermsProveHalf(t *testing.T) {
	q := resolvedQuery{}
	for term, want := range map[string]float64{
		"x": 0.5, "я": 0.5, "404": 0.5, "8080": 1, "42": 0, "tls": 1, "v2": 1, "中文": 0,
	} {
		if got := q.evidenceWeight(term); got != want {
			t.Errorf("%s: %v, want %v", term, got, want)
		}
	}
}

func TestLeadsEndInOneStep(t *testing.T) {
	t.Parallel()
	for what, list := range map[string]string{
		"forms": analyzer.IrregularForms, "words": sameWords,
	} {
		seen := map[string]bool{}
		for group := range strings.SplitSeq(list, "|") {
			for _, w := range strings.Fields(group) {
				if seen[w] {
					t.Errorf("%s: %s stands twice", what, w)
				}
				seen[w] = true
			}
		}
	}
	for from, to := range analyzer.SameTerm() {
		if next, ok := analyzer.SameTerm()[to]; ok {
			t.Errorf("%s leads to %s, and that to %s", from, to, next)
		}
	}
}

// A phrase is found by its own words, also in another form of them, and by no other words.
func TestPhrasesKeepTheirWords(t *testing.T) {
	t.Parallel()
	texts := []string{"A basket of fruit", "The cart of fruits", "Carts and fruit"}
	records := make([]log.Record, len(texts))
	for i, text := range texts {
		records[i] = record(fmt.Sprint("/n/", i), `{"text":"`+text+`"}`, log.Stamp(i))
	}
	q, err := ParseQuery(`"cart of fruit"`)
	if err != nil {
		t.Fatal(err)
	}
	load := func(row int) (log.Record, error) { return records[row], nil }
	res, err := Search(sidecarOf(t, 1<<20, records), nil, q, Options{Load: load})
	if err != nil || len(res.Hits) != 1 || res.Hits[0].Key != "/n/1" {
		t.Errorf("%v %v", res, err)
	}
}
