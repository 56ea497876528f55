package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/wire"
)

// A command line has bounds before its verb sees it.
func TestBoundsOfCommandLines(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 1_001 {
		many[strings.Repeat("v", i+1)] = ""
	}
	for what, c := range map[string]struct {
		in        any
		key, says string
	}{
		"words": {wire.Request{Args: make([][]byte, 10_001)}, "", "args: 10001 entries"},
		"length": {wire.Request{Args: [][]byte{make([]byte, wire.MaxWords+1)}}, "",
			"2097153 bytes"},
		"variables":  {wire.Request{Env: many}, "", "env: 1001 entries"},
		"files":      {wire.Request{Unread: many}, "", "unread: 1001 entries"},
		"values":     {make([]int, 30_000), "", "body: 29999 values, at most 20000"},
		"key":        {wire.Request{}, strings.Repeat("k", 65), "Idempotency-Key: 65 bytes"},
		"a good one": {wire.Request{Args: make([][]byte, 10_000)}, "k", ""},
	} {
		text, err := json.Marshal(c.in)
		if err != nil {
			t.Fatal(err)
		}
		_, err = read(text, c.key)
		isLong := errors.Is(err, mem.ErrInput)
		if isLong != (c.says != "") || isLong && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %s", what, err, c.says)
		}
	}
}

// A server costs its client no more than the bytes of an answer do: of more parts, or of a longer
// error, than a memd sends nothing is taken.
func TestBoundsOfAnswers(t *testing.T) {
	t.Parallel()
	many := func(one string, n int) string { return strings.Repeat(one+`,`, n-1) + one }
	for what, c := range map[string]struct {
		status int
		body   string
		says   string
	}{
		"as many pieces": {200, `{"exit":0,"printed":[` +
			many(`{"is_err":true,"text":""}`, wire.MaxPieces) + `]}`, ""},
		"too many pieces": {200, `{"exit":0,"printed":[` + many(`{}`, 2*wire.MaxPieces+2) + `]}`,
			"no memd"},
		"too many of none": {200, `{"exit":0,"printed":[` + many(`null`, 2*wire.MaxPieces+2) + `]}`,
			"no memd"},
		"an error": {400, `{"error":{"code":"input","message":"` +
			strings.Repeat("bad ", 100) + `"}}`, "bad bad"},
		"a long error": {400, `{"error":{"code":"input","message":"` +
			strings.Repeat("bad ", 1<<16) + `"}}`, "no memd"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		_, err := clientOf(t, s).Run(t.Context(), &wire.Request{})
		s.Close()
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %.200v", what, err)
		}
	}
}
