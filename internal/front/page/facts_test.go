package page_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/view/intake"
)

// facts has hooks propose facts for the project, and returns their ids.
func (s *one) facts(texts ...string) (ids []string) {
	s.t.Helper()
	at, err := intake.FactSite(s.layers)
	s.must(err)
	return s.factsFor(at.Address(), texts...)
}

// factsFor proposes facts for a store.
func (s *one) factsFor(store string, texts ...string) (ids []string) {
	s.t.Helper()
	for _, text := range texts {
		_, err := s.inbox.Propose(inbox.Proposal{Class: "request", Text: text, Store: store,
			Project: "shop-1", Client: "claude-code", Sessions: []string{"s1"},
			Evidence: []string{"remember: " + text}})
		s.must(err)
		list, err := s.inbox.List()
		s.must(err)
		i := slices.IndexFunc(list, func(p inbox.Proposal) bool { return p.Text == text })
		ids = append(ids, list[i].ID)
	}
	return ids
}

// A typed rule has a place of its own, and one click makes its fact a rule; one that is left a fact
// waits no more.
func TestTypedRules(t *testing.T) {
	s := newSite(t)
	caller := mem.Caller{Channel: "hook"}
	for _, text := range []string{"Never squash merges here", "From now on run make lint"} {
		taken, err := intake.Take(t.Context(), s.layers, caller, s.inbox, intake.Prompted{
			Client: "claude-code", Session: "s1", Text: text, Typed: true})
		if err != nil || !strings.Contains(taken.ToPerson, "makes it a rule") {
			t.Fatalf("%+v, %v", taken, err)
		}
	}
	doc := s.get("/review")
	s.has(doc, "Rules that you typed", "Make it a rule", "Leave it a fact", "Never squash",
		`<span class="count">2<`)
	s.hasNot(doc, "Facts from your work", "Text to store", "Store all")
	s.has(s.get("/"), "2 rules that you typed wait")
	ids := regexp.MustCompile(`name="id" value="(c-\w+)"`).FindAllStringSubmatch(doc, -1)
	s.has(s.decided("approve", "", ids[0][1]), "A rule now", "Rules that you typed")
	s.has(s.notes(), `"pinned":true`)
	s.hasNot(s.decided("reject", "", ids[1][1]), "Rules that you typed", `class="count"`)
	if strings.Count(s.notes(), `"pinned":true`) != 1 {
		t.Errorf("notes: %s", s.notes())
	}
}

// decide sends a decision about proposed facts, and returns the answer.
func (s *one) decide(do, text string, ids ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	form := url.Values{"token": {s.token}, "do": {do}, "id": ids}
	if text != "" {
		form.Set("text", text)
	}
	return s.ask("POST", "/review/fact", form)
}

// decided sends a decision that must be accepted, and returns the page that follows.
func (s *one) decided(do, text string, ids ...string) string {
	s.t.Helper()
	w := s.decide(do, text, ids...)
	if w.Code != http.StatusSeeOther {
		s.t.Fatalf("%s %q: %d: %s", do, ids, w.Code, w.Body)
	}
	return s.get(w.Header().Get("Location"))
}

// hasNot fails where a page has one of the texts.
func (s *one) hasNot(doc string, texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if strings.Contains(doc, text) {
			s.t.Errorf("there is %q in:\n%s", text, doc)
		}
	}
}

// notes returns the texts of the project's first notes.
func (s *one) notes() string {
	return s.content("project", "m-1") + s.content("project", "m-2")
}

// A person stores a proposed fact, in other words too, or refuses it, and it is then proposed no
// more.
func TestProposedFacts(t *testing.T) {
	s := newSite(t)
	s.hasNot(s.get("/review"), "Facts from your work")
	s.hasNot(s.get("/"), "proposed fact", `class="count"`)
	ids := s.facts("the port is 5433", "run make fmt", "never squash")
	doc := s.get("/review")
	s.has(doc, "Facts from your work", "the port is 5433", "remember: the port is 5433",
		"request", "shop-1", "claude-code", "Store all", "Reject all",
		`name="id" value="`+ids[0]+`"`, `<span class="count">3<`)
	s.has(s.get("/"), "3 proposed facts wait", `<span class="count">3<`)
	s.hasNot(s.get("/memories?q=squash"), "memory found") // it is no memory

	doc = s.decided("approve", "The port is 5434.\r\nIt moved.", ids[0])
	s.has(doc, "Stored: 1 memory", `<span class="count">2<`)
	s.hasNot(doc, "5433")
	s.has(s.notes(), `"text":"The port is 5434.\nIt moved."`)
	s.hasNot(s.notes(), "5433")
	doc = s.decided("reject", "edited in vain", ids[1])
	s.has(doc, "Rejected. It is not proposed again.", `<span class="count">1<`)
	s.hasNot(doc, "Store all", "make fmt")
	s.facts("never squash")
	if made, err := s.inbox.Propose(inbox.Proposal{Text: "run make fmt", Store: storeOf(s),
		Sessions: []string{"s2"}}); len(made) != 0 || err != nil {
		t.Errorf("a refused fact is proposed again: %v, %v", made, err)
	}
	if w := s.post("/review/fact", "id", ids[2], "do", "approve", "text", " "); w.Code != 400 {
		t.Errorf("an empty text: %d", w.Code)
	}
	s.has(s.decided("approve", "never squash", ids[2]), "Stored: 1 memory", "No write waits")
	s.has(s.notes(), `"text":"never squash"`)
	s.hasNot(s.notes(), "vain", "make fmt")
	s.hasNot(s.get("/"), "proposed fact", `class="count"`)
}

func storeOf(s *one) string {
	at, err := intake.FactSite(s.layers)
	s.must(err)
	return at.Address()
}

func TestAllFactsAtOnce(t *testing.T) {
	s := newSite(t)
	ids := s.facts("the port is 5433", "run make fmt")
	s.has(s.decided("approve", "", ids...), "Stored: 2 memories")
	s.has(s.notes(), `"the port is 5433"`, `"run make fmt"`)
	ids = s.facts("never squash", "larch is a server")
	s.has(s.decided("reject", "", ids...), "Rejected")
	if list, err := s.inbox.List(); len(list) != 0 || err != nil ||
		s.content("project", "m-3") != "" {
		t.Errorf("%v waits (%v), %s", list, err, s.content("project", "m-3"))
	}
}

// Whatever a prompt holds is text, and nothing that a browser or a terminal obeys.
func TestFactsAreText(t *testing.T) {
	s := newSite(t)
	const script = `<script>alert("x")</script></textarea><img src=x onerror=alert(1)>`
	ids := s.facts("run\x1b[31m\u202e "+script, "a second one")
	doc := s.get("/review")
	s.has(doc, "&lt;script&gt;alert(")
	s.hasNot(doc, "<script>alert", "<img src=x", "</textarea><img")
	outside := regexp.MustCompile(`(?s)<textarea.*?</textarea>`).ReplaceAllString(doc, "")
	s.hasNot(outside, "\x1b", "\u202e")
	s.decided("approve", script, ids[0])
	key := s.named("project", "m-1").String()
	s.hasNot(s.get("/memory?key="+key), "<script>alert", "<img src=x")
}

// What waits no more is not decided, and nothing that is named beside it.
func TestFactsThatWaitNoMore(t *testing.T) {
	s := newSite(t)
	ids := s.facts("the port is 5433", "run make fmt")
	s.must(s.inbox.Decide(ids[1])) // in a terminal, since the page was shown
	for what, named := range map[string][]string{
		"decided": ids[1:], "unknown": {"c-aaaaaaaaaa"}, "no id": {"../../config"}, "empty": {""},
		"beside one that waits": ids,
	} {
		for _, do := range []string{"approve", "reject"} {
			w := s.decide(do, "zanzibar", named...)
			if w.Code != http.StatusConflict || s.notes() != "" {
				t.Errorf("%s: %s: %d, %s", what, do, w.Code, s.notes())
			}
		}
	}
	s.has(s.get("/review"), "the port is 5433")
	for _, form := range [][2]string{{"approve", ""}, {"", ids[0]}, {"burn", ids[0]}} {
		w := s.decide(form[0], "", form[1:]...)
		if w.Code < 400 || s.notes() != "" {
			t.Errorf("%q: %d: %s", form, w.Code, s.notes())
		}
	}
	s.has(s.get("/review"), "the port is 5433")
}

// A text that the store refuses stays proposed, and the page says why.
func TestFactThatIsRefusedByTheStore(t *testing.T) {
	s := newSite(t)
	ids := s.facts("the port is 5433")
	for what, text := range map[string]string{"too long": strings.Repeat("x", 5000),
		"a secret": "ghp_" + strings.Repeat("a1B2", 9)} {
		w := s.decide("approve", text, ids[0])
		if w.Code != http.StatusConflict || s.notes() != "" {
			t.Errorf("%s: %d, %s", what, w.Code, s.notes())
		}
		s.has(w.Body.String(), `role="alert"`, "Nothing was stored", "the port is 5433")
		s.hasNot(w.Body.String(), "Below is the rule")
	}
}

// Nobody decides who was not let in, or whose form is of another site.
func TestFactsNeedASession(t *testing.T) {
	s := newSite(t)
	ids := s.facts("the port is 5433")
	form := url.Values{"token": {s.token}, "do": {"approve"}, "id": ids}
	for what, change := range map[string]func(*http.Request){
		"no cookie":      func(r *http.Request) { r.Header.Del("Cookie") },
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"another host":   func(r *http.Request) { r.Host = "evil.example:8700" },
	} {
		w := s.ask("POST", "/review/fact", form, change)
		if w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden ||
			s.notes() != "" || strings.Contains(w.Body.String(), "5433") {
			t.Errorf("%s: %d: %s", what, w.Code, w.Body)
		}
	}
	form.Del("token")
	if w := s.ask("POST", "/review/fact", form); w.Code != http.StatusForbidden {
		t.Errorf("no token: %d", w.Code)
	}
	w := s.ask("GET", "/review", nil, func(r *http.Request) { r.Header.Del("Cookie") })
	s.hasNot(w.Body.String(), "5433")
	if list, _ := s.inbox.List(); len(list) != 1 || s.notes() != "" {
		t.Errorf("%v waits, and stored is %s", list, s.notes())
	}
}

// A fact of another project is not shown, and not decided here.
func TestFactsOfAnotherProject(t *testing.T) {
	s := newSite(t)
	ids := s.factsFor("/elsewhere/memory", "zanzibar is an island")
	s.hasNot(s.get("/review"), "zanzibar", "Facts from your work")
	s.hasNot(s.get("/"), "proposed fact", `class="count"`)
	for _, do := range []string{"approve", "reject"} {
		if w := s.decide(do, "", ids...); w.Code != http.StatusConflict {
			t.Errorf("%s: %d", do, w.Code)
		}
	}
	if list, _ := s.inbox.List(); len(list) != 1 || s.notes() != "" {
		t.Errorf("%v waits, and stored is %s", list, s.notes())
	}
}
