package bundle_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/ledger"
)

// A bundle says that a text was cut of each such event of its session, whatever is asked, and of
// those elsewhere that the query finds, if only by their path; of no other agent's.
func TestCutTextIsOmitted(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		long := strings.Repeat("nothing to see here\n", 5_000)
		here := l.record(result("s1", "log.txt", long+"the fox"))
		there := l.record(result("s2", "fox.txt", long))
		l.record(result("s2", "short.txt", "no fox"))
		cut := l.record(result("s4", "cut.txt", long+"a Badger sleeps; 牙科复诊"))
		said := l.record(ledger.Event{Session: "s5", Kind: "message", Channel: "private",
			Actor:   ledger.Actor{Type: "human", ID: "ada"},
			Content: json.RawMessage(`{"text":` + strconv.Quote(long+"a heron") + `}`)})
		secret := result("s1", "bob.txt", long)
		secret.Actor = ledger.Actor{Type: "agent", ID: "bob"}
		secret.Session = "s3"
		l.record(secret)
		for query, want := range map[string]string{"": here.Artifact, "horse": here.Artifact,
			"fox":     here.Artifact + " " + there.Artifact,
			"badgers": here.Artifact + " " + cut.Artifact,
			"复诊":      here.Artifact + " " + cut.Artifact,
			"heron":   here.Artifact + " " + said.Artifact} {
			b := l.build(ask(query))
			var got []string
			for _, o := range b.Omissions {
				if o.Reason == "truncated_tool_output" && len(o.Candidates) == 1 {
					got = append(got, o.Artifact)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q: %q, want %q", query, got, want)
			}
		}
		b := l.build(bundle.Request{Session: "s3", Agent: "ada"})
		if len(b.Omissions) > 0 {
			t.Errorf("of another agent: %v", b.Omissions)
		}
		b = l.build(bundle.Request{Session: "s1", Agent: "ada", Channel: "public"})
		if len(b.Omissions) > 0 {
			t.Errorf("in public: %v", b.Omissions)
		}
	})
}
