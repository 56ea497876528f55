package transfer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/transfer"
)

// A record of a session that mem remember would refuse is refused from a file too, with its key.
func TestImportRefusesBadRecords(t *testing.T) { onEach(t, testImportRefusesBadRecords) }

func testImportRefusesBadRecords(t *testing.T, f *fixture) {
	const id = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	record := func(id, members string) string {
		return `{"key":"/session/s1/` + id + `","source":"chat","content":{"decision":"x",` +
			members + `}}`
	}
	for members, want := range map[string]string{
		`"type":"nonsense"`: `type "nonsense"`, `"type":7`: `type`,
		`"type":"decision","importance":7`:           "importance",
		`"type":"decision","importance":"high"`:      "importance",
		`"type":"decision","tags":["a b!"]`:          "tag",
		`"type":"decision","tags":"a"`:               "tags",
		`"type":"decision","timestamp":"yesterday"`:  "timestamp",
		`"type":"decision","timestamp":1771754400.5`: "timestamp",
		`"type":"decision","session_id":"a/b"`:       "session_id",
		`"type":"decision","session_id":7`:           "session_id",
	} {
		_, err := f.imports(transfer.Incoming{Stream: strings.NewReader(record(id, members))},
			transfer.ImportOptions{})
		if mem.KindOf(err) != mem.KindInput ||
			!strings.Contains(err.Error(), "/session/s1/"+id+": "+want) {
			t.Errorf("%s: %v", members, err)
		}
	}
	_, err := f.imports(transfer.Incoming{
		Stream: strings.NewReader(record("mem_7", `"type":"decision"`))}, transfer.ImportOptions{})
	if mem.KindOf(err) != mem.KindInput || !strings.Contains(err.Error(), `id "mem_7"`) {
		t.Errorf("id: %v", err)
	}
	_, err = f.imports(transfer.Incoming{Stream: strings.NewReader(
		`{"key":"/session/s1","source":"chat","content":{"type":"session","session_id":"a/b"}}`)},
		transfer.ImportOptions{})
	if mem.KindOf(err) != mem.KindInput || !strings.Contains(err.Error(), "session_id") {
		t.Errorf("session: %v", err)
	}
	f.takes("good", record(id, `"type":"decision","importance":0.9,"tags":["a"],`+
		`"timestamp":"2026-02-22T10:00:00Z"`), transfer.ImportOptions{},
		transfer.ImportReport{New: 1})
}

// An agent's file deletes no session in which a rule stands, as no verb of the agent does; one
// without a rule it deletes.
func TestImportLeavesSessionsOfRules(t *testing.T) { onEach(t, testImportLeavesSessionsOfRules) }

func testImportLeavesSessionsOfRules(t *testing.T, f *fixture) {
	const id = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for _, name := range []string{"s1", "s2"} {
		f.takes(name, `{"key":"/session/`+name+`","source":"chat","content":{"type":"session",`+
			`"version":1,"session_id":"`+name+`"}}`+"\n"+`{"key":"/session/`+name+"/"+id+
			`","source":"chat","content":{"type":"decision","decision":"x","schema_version":1}}`,
			transfer.ImportOptions{}, transfer.ImportReport{New: 2})
	}
	f.Put("/session/s1/words", `{"type":"preference","text":"tabs"}`)
	agent := mem.Caller{Agent: "ada", Client: "claude-code"}
	deleted := func(name string) error {
		line := `{"key":"/session/` + name + `","source":"x","content":null}`
		_, err := transfer.Import(ctx, f.Store.Store, agent,
			transfer.Incoming{Stream: strings.NewReader(line)}, transfer.ImportOptions{})
		return err
	}
	if err := deleted("s1"); !errors.Is(err, policy.ErrRule) ||
		!strings.Contains(err.Error(), "/session/s1/words") {
		t.Errorf("with a rule: %v", err)
	}
	if err := deleted("s2"); err != nil {
		t.Errorf("without: %v", err)
	}
	live := f.All()
	if live["/session/s1"] == "" || live["/session/s2"] != "" {
		t.Errorf("%v", live)
	}
}
