package foreign_test

import (
	"testing"

	"github.com/set-memory/mem/internal/view/foreign"
)

// The members of the file have no order, and an id is a number or a text.
func TestEngramIsKnownByItsMembers(t *testing.T) {
	for text, want := range map[string]foreign.Format{
		`{"exported_at":"x","version":"1","observations":[]}`:            foreign.Engram,
		`{"sessions":[{"id":"s"}],"exported_at":"x"}`:                    foreign.Engram,
		"\ufeff{ \"prompts\" : [],\n \"observations\" : [ {\"id\":1,":    foreign.Engram,
		`{"observations":["a"],"name":"Ada","type":"entity"}`:            foreign.MCP,
		`{"observations":[],"name":"Ada","type":"entity"}`:               foreign.MCP,
		`{"key":"/a","exported_at":"x"}`:                                 foreign.JSONL,
		`{"content":{"exported_at":"x","observations":[{}]},"key":"/a"}`: foreign.JSONL,
		`{"sessions":[{"id":"s","project":"p"}],"observations":[]}`:      "",
		"{\"key\":\"/a\",\"content\":1}\n{\"exported_at\":\"x\"}":        foreign.JSONL,
	} {
		if got := foreign.Detect([]byte(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for rec, err := range foreign.ReadEngram([]byte(`{"observations":[` +
		`{"id":"20","content":"x"},{"id":20,"content":"y"}]}`)) {
		if err != nil || rec.Key.String() != "/engram/project/20" {
			t.Errorf("%s: %v", rec.Key, err)
		}
	}
}
