package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const complete = `{"kind":"web","name":"site","retrieved_at":"2026-02-22T10:00:00Z",` +
	`"locator":{"url":"https://example.com"}}`

func TestCheck(t *testing.T) {
	ground := Ground{}
	wiki, err := keypath.ParsePrefix("/wiki")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := keypath.ParsePrefix("/team/docs")
	if err != nil {
		t.Fatal(err)
	}
	ground.Knowledge = append(ground.Knowledge, wiki, docs)
	for _, c := range []struct {
		key, content, source string
		want                 string // part of the refusal; empty: admitted
	}{
		{"/user/x", `1`, `"chat"`, ""},
		{"/user/x", `1`, `{"conversation_id":"c1"}`, ""},
		{"/user/x", `1`, `{"kind":"user"}`, ""},
		{"/user/x", `1`, complete, ""},
		{"/kb/x", `1`, complete, ""},
		{"/kb", `1`, complete, ""},
		{"/kb/x", `null`, `"chat"`, ""},
		{"/untrusted/kb/x", `1`, `"chat"`, ""},
		{"/kbx/y", `1`, `"chat"`, ""},
		{"/user/x", `1`, `""`, "blank"},
		{"/user/x", `1`, `"  "`, "blank"},
		{"/user/x", `1`, `{}`, "blank"},
		{"/user/x", `1`, `{"kind":"robot"}`, `kind "robot", want one of user`},
		{"/user/x", `1`, `{"kind":5}`, `kind "5"`},
		{"/user/x", `1`, `"https://example.com/page"`, "content from a URL"},
		{"/user/x", `1`, `{"url":"https://example.com"}`,
			"no kind, no name, no retrieved_at, no locator"},
		{"/user/x", `1`, `{"locator":{"where":"HTTP://example.com"}}`,
			"no kind, no name, no retrieved_at"},
		{"/user/x", `1`, `{"kind":"web"}`, "no name, no retrieved_at, no locator"},
		{"/user/x", `1`, `{"kind":"tool","name":" ","retrieved_at":"2026-02-22","locator":"q"}`,
			"no name"},
		{"/user/x", `1`, `{"kind":"file","name":"a","retrieved_at":"yesterday","locator":"/a"}`,
			`retrieved_at "yesterday" is no ISO 8601 time`},
		{"/user/x", `1`, `{"kind":"file","name":"a","retrieved_at":1,"locator":"/a"}`,
			`retrieved_at "1"`},
		{"/user/x", `1`, `{"kind":"web","name":"a","retrieved_at":"2026-02-22T10:00:00+08:00",` +
			`"locator":{}}`, "no locator"},
		{"/user/x", `1`, `{"kind":"web","name":"a","retrieved_at":"2026-02-22T10:00:00+08:00",` +
			`"locator":{"url":"","q":null}}`, "no locator"},
		{"/user/x", `1`, `{"kind":"web","name":"a","retrievedAt":"2026-02-22T10:00:00+08:00",` +
			`"locator":{"id":7}}`, ""},
		{"/kb/x", `1`, `"chat"`, "keys under /kb: the source is only a string"},
		{"/Wiki/x", `1`, `"chat"`, "keys under /Wiki: the source is only a string"},
		{"/WIKI", `1`, `"chat"`, "keys under /WIKI"},
		{"/wiki2/x", `1`, `"chat"`, ""},
		{"/Team/Docs/x", `1`, `"chat"`, "keys under /Team/Docs"},
		{"/team/x", `1`, `"chat"`, ""},
		{"/user/x", `1`, `{"kind":"web","KIND":"user"}`, `"kind" and "KIND" are one member`},
		{"/user/x", `1`, `{"kind":"user","name":"a","Na-me":"b"}`, `"name" and "Na-me"`},
		{"/user/x", `1`, `{"retrieved_at":"x","kind":"user","retrievedAt":"y"}`,
			`"retrieved_at" and "retrievedAt"`},
		{"/user/x", `1`, `{"user_id":1,"userId":2}`, `"user_id" and "userId"`},
		{"/user/x", `1`, `{"url":"a","uri":"b","kind":"user"}`, ""},
		{"/untrusted/user/x", `1`, `{"kind":"web","KIND":"user"}`, ""},
		{"/user/x", `null`, `{"kind":"web","KIND":"user"}`, ""},
		{"/KB/x", `1`, `"chat"`, "keys under /KB"},
		{"/wiki/x", `{}`, `{"kind":"user","name":"a"}`,
			"keys under /wiki: no retrieved_at, no locator"},
	} {
		f := facts(backend.Caller{}, Set, 0, c.key, c.content, c.source)
		err := f.checkProvenance(&ground)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s from %s: %v", c.key, c.source, err)
		case c.want != "" && (!errors.Is(err, ErrProvenance) ||
			!strings.Contains(err.Error(), c.want)):
			t.Errorf("%s from %s: %v, want %q", c.key, c.source, err, c.want)
		}
	}
}

func TestSizes(t *testing.T) {
	at := func(n int) []byte { return []byte(`"` + strings.Repeat("x", n-2) + `"`) }
	for _, c := range []struct {
		content, source []byte
		ok              bool
	}{
		{at(MaxContent), at(MaxSource), true},
		{at(MaxContent + 1), at(9), false},
		{at(9), at(MaxSource + 1), false},
	} {
		if err := CheckSizes(c.content, c.source, 0); (err == nil) != c.ok ||
			err != nil && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d and %d bytes: %v", len(c.content), len(c.source), err)
		}
	}
	if CheckLine(MaxBatchLine) != nil || !errors.Is(CheckLine(MaxBatchLine+1), ErrTooLarge) {
		t.Error("batch line limit")
	}
}

func TestQuarantineKeepsTheGivenSource(t *testing.T) {
	now, err := log.ParseTime("2026-02-22T10:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	key, source, err := Quarantine(keypath.MustParse("/kb/x"), []byte(`"the \"net\""`),
		errors.New("source: why"), now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jsontext.Compact(nil, source); err != nil {
		t.Errorf("%s: %v", source, err)
	}
	if given, reason := ParseQuarantine(source); string(given) != `"the \"net\""` || reason != "source: why" {
		t.Errorf("given %s, reason %s", given, reason)
	}
	if back, err := Released(key); err != nil || back.String() != "/kb/x" || !key.Untrusted() ||
		back.Untrusted() {
		t.Errorf("%s is released to %s (%v)", key, back, err)
	}
	if _, _, err := Quarantine(keypath.MustParse("/"+strings.Repeat("k", keypath.MaxLen-1)),
		[]byte(`"s"`), errors.New("x"), now); err == nil {
		t.Error("a key that grows past its limit was accepted")
	}
}

func TestLeadsBack(t *testing.T) {
	for source, want := range map[string]bool{
		`"chat"`: true, `" "`: false, `""`: false, `{}`: false, `{"note":"x"}`: false,
		`{"kind":"user"}`: true, `{"Kind":"user"}`: true, `{"kind":" "}`: false,
		`{"kind":null}`: false, `{"name":"Ada"}`: true, `{"name":" "}`: false, `{"name":1}`: false,
		`{"locator":"p. 3"}`: true, `{"locator":{"id":7}}`: true, `{"locator":{}}`: false,
		`{"locator":{"id":""}}`: false, `{"url":"https://example.org"}`: true, ``: false,
		`null`: false,
	} {
		if got := LeadsBack([]byte(source)); got != want {
			t.Errorf("%s: %v, want %v", source, got, want)
		}
	}
}
