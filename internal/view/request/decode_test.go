package request_test

import (
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/log"
)

type asked struct {
	request.Sender
	Words  string     `json:"words,omitempty" query:"q"`
	Actor  actor      `json:"actor" query:"-"`
	Tags   []string   `json:"tags,omitempty" query:"tag"`
	Limit  *int       `json:"limit,omitempty"`
	Least  float64    `json:"least,omitempty"`
	Why    bool       `json:"why,omitempty"`
	Since  *log.Stamp `json:"since,omitempty"`
	Hidden string     `json:"-"`
}

type actor struct {
	ID string `json:"id"`
}

// A request has no members but those of its type, each once and as it is spelt.
func TestDecode(t *testing.T) {
	var a asked
	text := `{"agent_id":"ada","words":"x","actor":{"id":"u"},"limit":3}`
	err := request.Decode("event", []byte(text), &a)
	if err != nil || a.Agent != "ada" || a.Words != "x" || a.Actor.ID != "u" || *a.Limit != 3 {
		t.Errorf("%+v, %v", a, err)
	}
	for text, want := range map[string]error{
		`{`: jsontext.ErrJSON, ``: jsontext.ErrJSON, `{"words":"a","words":"b"}`: jsontext.ErrJSON,
		`[]`: mem.ErrInput, `"x"`: mem.ErrInput, `{"nonsense":1}`: mem.ErrInput,
		`{"words":1}`: mem.ErrInput, `{"Words":"x"}`: mem.ErrInput, `{"q":"x"}`: mem.ErrInput,
		`{"words":"x","WORDS":"y"}`: mem.ErrInput, `{"actor":{"ID":"u"}}`: mem.ErrInput,
		`{"actor":{"x":"u"}}`: mem.ErrInput, `{"Hidden":"x"}`: mem.ErrInput,
	} {
		err := request.Decode("event", []byte(text), new(asked))
		if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "event: ") {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

// What can be meant in one way only is understood in another form.
func TestDecodeVariants(t *testing.T) {
	type keyed struct {
		asked
		Key string `json:"key"`
	}
	for text, want := range map[string]keyed{
		`{"tags":"a, b","limit":"3"}`:   {asked: asked{Tags: []string{"a", "b"}, Limit: new(3)}},
		`{"tags":"[\"a\",\"b c\"]"}`:    {asked: asked{Tags: []string{"a", "b c"}}},
		`{"tags":"one thing, or two"}`:  {asked: asked{Tags: []string{"one thing, or two"}}},
		`{"least":"0.5","why":"true"}`:  {asked: asked{Least: 0.5, Why: true}},
		`{"id":"m-4"}`:                  {Key: "m-4"},
		`{"words":"3","key":"a,b"}`:     {asked: asked{Words: "3"}, Key: "a,b"},
		`{"words":"x","tags":["a, b"]}`: {asked: asked{Words: "x", Tags: []string{"a, b"}}},
	} {
		var got keyed
		if err := request.Decode("event", []byte(text), &got); err != nil ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		`{"limit":"many"}`:      "limit: want a whole number, not a string",
		`{"limit":"null"}`:      "limit: want a whole number",
		`{"tags":7}`:            `tags: want a list like ["a","b"], not a number`,
		`{"why":"maybe"}`:       "why: want true or false",
		`{"id":"a","key":"b"}`:  `"id": no such member`,
		`{"tag":"x"}`:           `"tag": no such member; did you mean tags?`,
		`{"zebra":"x"}`:         `"zebra": no such member; want one of actor, key, least`,
		`{"actor":{"limit":1}}`: `"limit": no such member`,
	} {
		err := request.Decode("event", []byte(text), new(keyed))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A query has the same members by names of its own.
func TestDecodeQuery(t *testing.T) {
	var a asked
	query, err := url.ParseQuery("q=x&tag=a&tag=b&limit=3&least=0.5&why=true&since=2026-02-22&" +
		"agent_id=ada")
	if err == nil {
		err = request.DecodeQuery(query, &a)
	}
	if err != nil || a.Words != "x" || len(a.Tags) != 2 || *a.Limit != 3 || a.Least != 0.5 ||
		!a.Why || a.Since == nil || a.Agent != "ada" {
		t.Errorf("%+v, %v", a, err)
	}
	for text, want := range map[string]string{
		"words=x": "no such parameter", "actor=x": "no such parameter", "Hidden=": "no such",
		"q=x&q=y": "twice", "limit=x": "want a whole number", "limit=null": "want a whole number",
		"why=yes": "want true or false", "since=soon": "want a time", "least=NaN": "want a number",
		"limit=1.5": "want a whole number", "q=&limit=&why=&since=&least=": "",
	} {
		query, _ := url.ParseQuery(text)
		err := request.DecodeQuery(query, new(asked))
		if (err == nil) != (want == "") || err != nil &&
			(!strings.Contains(err.Error(), want) || !errors.Is(err, mem.ErrInput)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
