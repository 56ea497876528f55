package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/ulid"
	"time"
)

func ndjson(r *http.Request) { r.Header.Set("Content-Type", "application/x-ndjson") }

// said is the answer to one event of a list.
type said struct {
	Event string `json:"event_id"`
	Error *struct {
		Code, Message, Hint string
	}
}

func (a answer) list(t *testing.T) (list []said) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || a.status != 200 {
		t.Fatalf("%d %.400s: %v", a.status, a.body, err)
	}
	return list
}

// an event of an agent, with more members.
func eventBy(agent, more string) string {
	return fmt.Sprintf(`{"session_id":"s1","kind":"message","actor":{"type":"agent","id":%q},`+
		`"content":{"text":"by %s"}%s}`, agent, agent, more)
}

// Each event of a list is held to the rules by itself.
func TestEventsOfAList(t *testing.T) {
	s := newTestServer(t)
	_, ada := s.token("t1", "ada")
	_, both := s.token("t1", "ada", "bob")
	list := []string{eventBy("ada", ""), eventBy("bob", ""), eventBy("ada", `,"tenant_id":"t2"`),
		`{"session_id":"s1"}`, eventBy("ada", `,"agent_id":"bob"`), `7`,
		eventBy("ada", `,"at":"2999-01-01T00:00:00Z"`), eventBy("ada", `,"nonsense":1`),
		eventBy("ada", `,"tags":["AKIAIOSFODNN7EXAMPLE"],"at":"2020-01-01T00:00:00Z"`)}
	for token, want := range map[string]string{
		ada:  "ok refused refused input refused input input input ok",
		both: "ok ok refused input refused input input input ok"} {
		array := s.askTCP(token, "POST", api+"/events", "["+strings.Join(list, ",")+"]").list(t)
		lines := s.askTCP(token, "POST", api+"/events", strings.Join(list, "\n"), ndjson).list(t)
		for _, got := range [][]said{array, lines} {
			var codes []string
			for _, one := range got {
				code := "ok"
				if one.Error != nil {
					code = one.Error.Code
				}
				if (one.Event == "") == (code == "ok") {
					t.Errorf("%+v", one)
				}
				codes = append(codes, code)
			}
			if strings.Join(codes, " ") != want {
				t.Errorf("%s, want %s: %+v", codes, want, got)
			}
		}
	}
	found := s.askTCP(ada, "GET", api+"/memories?prefix=/event", "")
	if strings.Contains(found.body, "AKIA") || found.json(t)["count"] != 10.0 {
		t.Errorf("%s", found.body)
	}
}

// What is no list of events is refused as a whole.
func TestListsThatAreNone(t *testing.T) {
	s := newTestServer(t)
	_, token := s.token("t1", "ada")
	many := strings.Repeat(eventBy("ada", "")+"\n", maxEvents+1)
	for body, want := range map[string]int{
		"[]": 400, "[{]": 400, "[" + eventBy("ada", ""): 400, many: 413,
		"[" + strings.Repeat(" ", maxBody) + "]":                           413,
		"[" + strings.ReplaceAll(strings.TrimSpace(many), "\n", ",") + "]": 413,
	} {
		var change []func(*http.Request)
		if body == many {
			change = append(change, ndjson)
		}
		if got := s.askTCP(token, "POST", api+"/events", body, change...); got.status != want {
			t.Errorf("%.40s: %d %.200s", body, got.status, got.body)
		}
	}
	if got := s.askTCP(token, "POST", api+"/events", "\n\n", ndjson); got.status != 400 {
		t.Errorf("no lines: %d %s", got.status, got.body)
	}
	most := strings.Repeat(eventBy("ada", "")+"\n", maxEvents)
	if got := s.askTCP(token, "POST", api+"/events", most, ndjson).list(t); len(got) != maxEvents {
		t.Errorf("%d answers", len(got))
	}
}

// An event that is sent again is answered as the first time; its id is no other event's.
func TestEventsSentAgain(t *testing.T) {
	s := newTestServer(t)
	_, token := s.token("t1", "ada")
	unique, err := ulid.New(time.Now(), nil)
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprintf(`,"event_id":"evt_%s"`, unique)
	one, other := eventBy("ada", id), eventBy("ada", `,"tags":["x"]`+id)
	first := s.askTCP(token, "POST", api+"/events", one)
	again := s.askTCP(token, "POST", api+"/events", one)
	if first.status != 201 || again.status != 201 || first.body != again.body {
		t.Errorf("%+v, then %+v", first, again)
	}
	if got := s.askTCP(token, "POST", api+"/events", other); got.status != 409 ||
		got.code(t) != "conflict" {
		t.Errorf("%+v", got)
	}
	list := s.askTCP(token, "POST", api+"/events", "["+one+","+other+"]").list(t)
	if list[0].Event != "evt_"+unique || list[1].Error == nil ||
		list[1].Error.Code != "conflict" || list[1].Error.Hint == "" {
		t.Errorf("%+v", list)
	}
	found := s.askTCP(token, "GET", api+"/memories?prefix=/event", "")
	if found.json(t)["count"] != 1.0 {
		t.Errorf("%s", found.body)
	}
}
