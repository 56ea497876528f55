package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
)

// step is a command of a session, and what its answer says.
type step struct {
	line string // quoted as for a shell; CLAUDECODE=1 before it makes an agent of the caller
	exit int
	says []string // on either stream
}

// splitLine splits a line of a session.
func splitLine(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}

// proposed is the id of a proposal, which the next line may name as ID.
var proposed = regexp.MustCompile(`\b[pc]-[0-9a-z]{8,10}\b`)

func (s step) run(t *testing.T, id string) string {
	t.Helper()
	line, isAgent := strings.CutPrefix(s.line, "CLAUDECODE=1 ")
	t.Setenv("CLAUDECODE", map[bool]string{true: "1"}[isAgent])
	args := splitLine(line)
	for i := range args {
		if args[i] == "ID" {
			args[i] = id
		}
	}
	var out bytes.Buffer
	if exit := Run(args, strings.NewReader(""), &out, &out, testBuild); exit != s.exit {
		t.Errorf("mem %s: exit %d, want %d: %s", s.line, exit, s.exit, &out)
	}
	for _, text := range s.says {
		if !strings.Contains(out.String(), text) {
			t.Errorf("mem %s says %s\nand not %q", s.line, &out, text)
		}
	}
	return out.String()
}

// An answer says what was done where the command alone does not, and how to take it back.
func TestAnswersSayWhatWasDone(t *testing.T) {
	const m1, m2 = "/note/workspace/m-1", "/note/workspace/m-2"
	correction := []step{{line: "note 'the port is 5432' -q"},
		{line: "note 'billing listens on 5433' --replaces m-1 -q"}}
	for name, session := range map[string][]step{
		"undo of an undo deletes again": {{line: "note 'the port is 5432'"}, {line: "forget m-1"},
			{line: "undo m-1", says: []string{"restored " + m1 + " as of 2026-02-22T10:00:00"}},
			{line: "undo m-1", says: []string{"deleted " + m1 + " again, as of 2026-02-22T10"}},
			{line: "undo m-1 --json", says: []string{`"valid":true`, `"restored":"2026-`}}},
		"undo of the first version": append(correction, step{"undo m-2", 1, []string{
			m2 + ": it has no earlier version\n",
			"hint: mem undo --last takes back the last command, note (2 keys)"}},
			step{"undo --last", 0, []string{"2 keys"}}),
		"undo of a part": append(correction, step{"undo m-1", 0, []string{
			"hint: the same command, note, stored " + m2 + ", which stays: mem forget " + m2}},
			step{"undo m-2", 1, []string{"hint: mem forget " + m2 + " deletes it"}},
			step{"forget " + m2, 0, nil}),
		"pin of a superseded note": append(correction,
			step{"pin m-1", 3, []string{m1 + ": it is superseded by " + m2 + ", ",
				"hint: mem pin " + m2 + " pins its successor"}},
			step{"CLAUDECODE=1 pin m-1", 3, []string{"superseded by " + m2}},
			step{"get m-1", 0, nil}, step{"pin m-2", 0, nil}),
		"search of an id": {{line: "note 'the port is 5432' -q"}, {line: "note 'four m-1' -q"},
			{line: "search m-1", says: []string{"hint: mem get m-1 prints the note of this id"}},
			{line: "search --json m-1", says: []string{`"count":`}}},
		"an agent over a person's fact": {{line: "set /db '\"3306\"' -s '{\"kind\":\"user\"," +
			"\"name\":\"me\",\"member\":\"ada\"}' -q"},
			{line: "CLAUDECODE=1 set /db '\"5432\"' -s chat", says: []string{
				"hint: it replaced what ada wrote on 2026-02-22; mem undo /db brings that back"}},
			{line: "CLAUDECODE=1 set /db '\"5433\"' -s chat"}, {line: "note 'port 1' -q"},
			{line: "CLAUDECODE=1 note 'port 2' --replaces m-1", says: []string{
				"hint: it replaced what the user wrote on 2026-02-22; mem undo --last"}}},
		"a filter of get": {{line: "get --help", says: []string{"--jq .content.text"}},
			{line: "get /a --jq .text", says: []string{"null\n",
				"mem: hint: the filter reads the envelope: the memory is .content"}}},
		"similar notes": {{line: "note 'Money is in cents, never in floats' -q"},
			{line: "note 'Money is always in cents, never in floats'", says: []string{
				`hint: m-1 ("Money is in cents, never in floats") says nearly the same; mem supersede`,
			}}},
		"a rule": {{line: "note 'Never push to main' -q"},
			{line: "CLAUDECODE=1 pin m-1", says: []string{"waits until"}}, {line: "approve"},
			{line: "approve ID --yes", says: []string{
				"mem: made " + m1 + " a rule; mem undo --last takes that back"}},
			{line: "undo " + m1}, {line: "CLAUDECODE=1 pin m-1"}, {line: "approve"},
			{line: "reject ID --yes", says: []string{"rejected p-", ": pin " + m1 + "\n",
				"hint: mem undo --last lets it wait again"}},
			{line: "undo --last"}, {line: "approve", says: []string{"pin " + m1}}},
		"quarantine": {{line: "set /kb/x 1 -s web --on-untrusted quarantine -q"},
			{line: "reject /kb/x --yes", says: []string{"rejected /untrusted/kb/x: 1\n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			desk(t)
			t.Setenv("MEM_AGENT", "")
			id := ""
			for _, s := range session {
				if found := proposed.FindString(s.run(t, id)); found != "" {
					id = found
				}
			}
		})
	}
}

// waits returns the proposed facts without their times.
func waits(t *testing.T) string {
	t.Helper()
	return answered(t, "", "approve", "--jq", ".facts | sort_by(.id) | map(del(.at))")
}

// A fact that was approved waits again once the approval is taken back.
func TestUndoneApprovalWaitsAgain(t *testing.T) {
	root := desk(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	box := inbox.In(site.OpenBook(os.Getenv, os.Getenv("HOME")).Dir(), time.Now)
	_, err := box.Propose(inbox.Proposal{Text: "the port is 5433", Store: root, Class: "ran",
		Client: "codex", Sessions: []string{"s"}, Evidence: []string{"psql -p 5433"}},
		inbox.Proposal{Text: "go test ./...", Key: inbox.CommandKeys + "test", Store: root,
			Sessions: []string{"s"}})
	if err != nil {
		t.Fatal(err)
	}
	before := waits(t)
	step{line: "approve --all --yes", says: []string{"stored: ",
		"hint: mem undo --last takes that back"}}.run(t, "")
	step{line: "undo --last", says: []string{"2 keys",
		"mem: waiting again: 2 proposed facts (mem approve)"}}.run(t, "")
	after := waits(t)
	if before != after {
		t.Errorf("then waits\n%snot\n%s", after, before)
	}
	id := proposed.FindString(after)
	step{line: "reject ID --yes", says: []string{"rejected " + id + ": ",
		" stores it all the same"}}.run(t, id)
}
