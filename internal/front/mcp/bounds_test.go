package mcp

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/set-memory/mem"
)

// What a tool is called with has the bounds of every request.
func TestBoundsOfCalls(t *testing.T) {
	t.Parallel()
	eachLab(t, func(t *testing.T, l *lab) {
		deep := strings.Repeat("[", 400) + strings.Repeat("]", 400)
		list := `["x` + strings.Repeat(`","x`, 1_000) + `"]`
		l.fails("mem_search", `{"query":"`+strings.Repeat("word ", 4_000)+`"}`,
			"words: 20000 bytes, at most 16384")
		l.fails("mem_search", `{"query":"x","tags":`+list+`}`, "tags: 1001 entries, at most 1000")
		l.fails("mem_search", `{"query":"x","types":`+list+`}`, "types: 1001 entries")
		l.fails("mem_search", `{"query":`+deep+`}`, "nesting past 128 levels")
		l.fails("mem_note", `{"text":"x","files":`+list+`}`, "files: 1001 entries")
		l.fails("mem_note", `{"text":"x","replaces":`+list+`}`, "replaces: 1001 entries")
		l.fails("mem_set", `{"key":"/a","content":`+deep+`}`, "nesting past 128 levels")
		l.fails("mem_get", `{"key":"/`+strings.Repeat("a", 2_000)+`"}`, "1024")
	})
}

// A list of messages has the bound of any list.
func TestBoundOfMessages(t *testing.T) {
	t.Parallel()
	for text, isLong := range map[string]bool{`{"a":[` + strings.Repeat("1,", 2_000) + `1]}`: false,
		" [" + strings.Repeat("{},", 999) + "{}]":  false,
		"[" + strings.Repeat("{},", 1_000) + "{}]": true,
		strings.Repeat("[", 2_000):                 false, "": false} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(text))
		err := checkBatch(httptest.NewRecorder(), r)
		if (err != nil) != isLong || isLong && !errors.Is(err, mem.ErrInput) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
