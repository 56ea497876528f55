package bundle_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/request"
)

// A request is an object with the members it has, and none twice; now is a time.
func TestDecodeRequest(t *testing.T) {
	for text, want := range map[string]string{
		`{"session_id":"s","agent_id":"a","now":"2026-02-22T10:00:00Z","max_tokens":0}`: "",
		`{"session_id":"s","session_id":"t"}`:                                           "duplicate",
		`{"session":"s"}`:                                                               "no such member",
		`{"max_tokens":"many"}`:                                                         "want a whole number",
		`{"now":"yesterday"}`:                                                           "not a time",
		`[]`:                                                                            "object",
		`{"session_id":"s"`:                                                             "JSON",
	} {
		var r bundle.Request
		err := request.Decode("request", []byte(text), &r)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// What was said later than now counts as of now, and what lies a half-life back half as much.
func TestNow(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	l.record(message("s2", "the heron flew at noon"))
	at := l.Clock
	l.Clock = at.AddDate(0, 1, 0)
	l.record(message("s3", "the heron flew a month later"))
	l.Clock = at
	list := texts(l.build(ask("heron flew")), "retrieved_evidence")
	if len(list) != 2 {
		t.Errorf("%q", list)
	}
	_, err := bundle.Build(ctx, l.book, bundle.Request{Agent: "ada"})
	if !errors.Is(err, mem.ErrInput) {
		t.Errorf("without a session: %v", err)
	}
}
