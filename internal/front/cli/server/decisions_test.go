package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/log"
)

// tries has for each row of the table in docs/decisions.md what a test does for it, each as an
// operation and the memory that it is about.
var tries = map[string][]string{
	"change a fact, a task, a handoff": {"set fact", "set task", "set handoff", "done task"},
	"forget a fact, a task, a handoff": {"forget fact", "forget task", "forget handoff"},
	"record an event":                  {"event none"},
	"merge or supersede facts":         {"merge fact", "supersede fact"},
	"change or forget a fact that another member has pinned": {"set pinned", "forget pinned",
		"unpin pinned", "touch pinned"},
	"merge or supersede a fact that another member has pinned": {"merge pinned",
		"supersede pinned"},
	"change or forget a rule":                       {"set rule", "forget rule", "touch rule"},
	"merge or supersede a rule":                     {"merge rule", "supersede rule"},
	"store a preference, or another type of a rule": {"prefer none"},
	"pin a fact, or store a pinned note":            {"pin fact", "pin note none"},
	"approve or reject":                             {"approve proposal", "reject proposal"},
	"purge":                                         {"purge fact"},
}

// trial is one operation on a memory of its own.
type trial struct {
	*team
	key, other string // of the memory, and of a fact beside it
	id         string // of the task, or of the proposal
	word       string // that no other memory has
	proposing  bool
}

// ways are the ways of access, each with its column of the table, and the function that does
// something that way; has is false where the way has no such operation.
var ways = []struct {
	name   string
	column int
	do     func(x *trial, op string) (has, failed bool, says string)
}{
	{"the command line here", 1, func(x *trial, op string) (bool, bool, string) {
		return x.typed(op, func(args []string) (int, string, string) {
			x.Setenv("MEM_ROOT", x.store)
			return x.run(nil, args...)
		})
	}},
	{"the page", 1, func(x *trial, op string) (bool, bool, string) { return x.onPage(op) }},
	{"the command line with a person's token", 2, func(x *trial, op string) (bool, bool, string) {
		return x.typed(op, func(args []string) (int, string, string) {
			return x.at("boss", nil, args...)
		})
	}},
	{"HTTP with a person's token", 2, func(x *trial, op string) (bool, bool, string) {
		return x.overHTTP("boss", op)
	}},
	{"the command line of a member's agent", 3, func(x *trial, op string) (bool, bool, string) {
		return x.typed(op, func(args []string) (int, string, string) {
			return x.at("ada", nil, args...)
		})
	}},
	{"HTTP of a member's agent", 3, func(x *trial, op string) (bool, bool, string) {
		return x.overHTTP("ada", op)
	}},
	{"MCP of a member's agent", 3, func(x *trial, op string) (bool, bool, string) {
		return x.overMCP("ada", op)
	}},
	{"MCP with a person's token", 3, func(x *trial, op string) (bool, bool, string) {
		return x.overMCP("boss", op)
	}},
	{"a client's command line here", 4, func(x *trial, op string) (bool, bool, string) {
		return x.typed(op, func(args []string) (int, string, string) {
			x.Setenv("CLAUDECODE", "1")
			defer x.Setenv("CLAUDECODE", "")
			x.Setenv("MEM_ROOT", x.store)
			return x.run(nil, args...)
		})
	}},
	{"a client's MCP here", 4, func(x *trial, op string) (bool, bool, string) {
		return x.overMCP("", op)
	}},
}

// The table of decisions.md says what happens: each of its cells is tried in all ways.
func TestDecisionTable(t *testing.T) {
	tm := newTeam(t)
	rows := decisionTable(t)
	counts := map[string]int{}
	for row := range tries {
		if rows[row] == nil {
			t.Errorf("docs/decisions.md has no row %q", row)
		}
	}
	n := 0
	for row, cells := range rows {
		if tries[row] == nil {
			t.Errorf("nothing tries the row %q", row)
		}
		for _, try := range tries[row] {
			i := strings.LastIndex(try, " ")
			for _, way := range ways {
				n++
				x := tm.newTrial(try[i+1:], n)
				has, wrong := x.try(way.do, try[:i], cells[way.column-1])
				if wrong != "" {
					t.Errorf("%s: %s, by %s: want %q: %s", row, try, way.name, cells[way.column-1],
						wrong)
				}
				if has {
					counts[way.name]++
				}
			}
		}
	}
	for _, way := range ways {
		if counts[way.name] < 5 {
			t.Errorf("%s: %d cells", way.name, counts[way.name])
		}
	}
	t.Log(counts)
}

// The pin of a member's agent stays that member's, whoever of the persons changes the memory or
// approves a change of it, and in each way: no agent of another member takes it away.
func TestPinStaysItsMembers(t *testing.T) {
	tm := newTeam(t)
	_, secret, _ := tm.run(nil, "token", "add", "t1", "--member", "ada", "--person", "--root",
		filepath.Join(tm.store, "../.."), "--yes", "-q")
	tm.secret["ada herself"] = strings.TrimSpace(secret)
	for i, c := range []struct {
		name   string
		change func(*trial) (failed bool, says string)
	}{
		{"touch with a token", func(x *trial) (bool, string) {
			exit, _, says := x.at("ada herself", nil, "touch", x.key, "--importance", "0.9")
			return exit != 0, says
		}},
		{"touch on the page", func(x *trial) (bool, string) {
			status, says := x.post("/memories/several", url.Values{"at": {"store " + x.key},
				"do": {"tag"}, "tag": {"seen"}})
			return status != http.StatusSeeOther, says
		}},
		{"edit on the page", func(x *trial) (bool, string) {
			status, says := x.post("/memory/edit", url.Values{"key": {x.key},
				"ts":   {x.look().rec.TS.String()},
				"json": {object("text", "changed "+x.word, "pinned", true)}})
			return status != http.StatusSeeOther, says
		}},
		{"move", func(x *trial) (bool, string) {
			exit, _, says := x.at("ada herself", nil, "mv", x.key, x.key+"/to")
			x.key += "/to"
			return exit != 0, says
		}},
		{"approve", func(x *trial) (bool, string) {
			_, id, _ := x.at("ada", nil, "set", x.key, "--text", "other "+x.word, "-s", "chat",
				"--propose")
			exit, _, says := x.at("ada herself", nil, "approve", strings.TrimSpace(id), "--yes")
			return exit != 0, says
		}},
	} {
		x := tm.newTrial("pinned", i+1)
		if failed, says := c.change(x); failed {
			t.Errorf("%s: %s", c.name, says)
		}
		now := x.look()
		if now.isRule || !content.Parse(now.rec.Content).Pinned {
			t.Errorf("%s: %s", c.name, now.rec.Line)
		}
		if exit, _, says := x.at("ada", nil, "forget", x.key); exit != 3 ||
			!strings.Contains(says, "pinned by ben") {
			t.Errorf("%s: another member's agent: exit %d: %s", c.name, exit, says)
		}
		if exit, _, says := x.at("ben", nil, "touch", x.key, "--importance", "0.1"); exit != 0 {
			t.Errorf("%s: its member's agent: exit %d: %s", c.name, exit, says)
		}
		if exit, _, says := x.at("boss", nil, "approve", x.key, "--yes"); exit != 0 {
			t.Errorf("%s: a person vouches: exit %d: %s", c.name, exit, says)
		}
		if now = x.look(); !now.isRule {
			t.Errorf("%s: no rule, though a person vouches: %s", c.name, now.rec.Line)
		}
	}
}

// decisionTable returns the cells of the table by the first of each row.
func decisionTable(t *testing.T) map[string][]string {
	t.Helper()
	doc, err := os.ReadFile("../../../../docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "| decision | a person here, or on the page | "+
		"a person's token | a member's agent (its token) | another client here |\n"+
		"|---|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string][]string{}
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 5 {
			t.Fatalf("a row without five cells: %q", line)
		}
		rows[cells[0]] = cells[1:]
	}
	return rows
}

// newTrial makes what an operation is about.
func (tm *team) newTrial(kind string, n int) *trial {
	tm.Helper()
	x := &trial{team: tm, word: fmt.Sprintf("w%03d", n), key: fmt.Sprintf("/project/a%d", n),
		other: fmt.Sprintf("/project/b%d", n)}
	put := func(by string, args ...string) string {
		tm.Helper()
		exit, out, says := tm.at(by, nil, args...)
		if exit != 0 {
			tm.Fatalf("%q: exit %d: %s", args, exit, says)
		}
		return strings.TrimSpace(out)
	}
	put("ben", "set", x.other, "--text", "beside "+x.word, "-s", "chat", "-q")
	switch kind {
	case "fact":
		put("ben", "set", x.key, "--text", "fact "+x.word, "-s", "chat", "-q")
	case "pinned":
		put("ben", "set", x.key, "--text", "fact "+x.word, "--pin", "-s", "chat", "-q")
	case "rule", "proposal":
		for _, key := range []string{x.key, x.other} { // no fact supersedes a rule
			put("boss", "set", key, "--type", "preference", "--text", "rule "+x.word, "-s", "me",
				"-q")
		}
	case "task":
		x.id = put("ben", "task", "task "+x.word)
		x.key = "/task/" + x.id
	case "handoff":
		x.key = put("ben", "handoff", x.word, "--session", x.word, "--to", "ada-bot")
	}
	if kind == "proposal" {
		x.id = put("ben", "set", x.key, "--text", "other "+x.word, "-s", "chat", "--propose")
	}
	return x
}

// seen is the memory that a trial is about, as its store has it.
type seen struct {
	rec       log.Record
	isRule    bool
	proposals int // about the memory
	waits     bool
}

// look finds the memory by its key, or where an operation makes one by its word.
func (x *trial) look() (now seen) {
	x.Helper()
	ctx, person := context.Background(), mem.Caller{}
	s, err := mem.Open(x.store, mem.Options{})
	if err != nil {
		x.Fatal(err)
	}
	defer s.Close()
	op, err := s.Begin(person, policy.Read)
	if err == nil {
		err = s.List(ctx, person, mem.Filter{}, func(rec log.Record) error {
			key := rec.Key.String()
			isMade := !strings.HasPrefix(key, "/project/") &&
				strings.Contains(string(rec.Content), x.word)
			if key == x.key || isMade {
				now.rec, now.isRule = rec.Clone(), op.IsRule(rec)
			}
			return nil
		})
	}
	var list []proposal.Proposal
	if err == nil {
		list, err = proposal.List(ctx, s, person)
	}
	for _, p := range list {
		now.waits = now.waits || p.ID == x.id
		if p.Key == now.rec.Key {
			now.proposals++
		}
	}
	if err != nil {
		x.Fatal(err)
	}
	return now
}

// try does something in one way, and compares what became of it with a cell of the table. It
// reports whether the way has the operation, and what was wrong.
func (x *trial) try(do func(*trial, string) (bool, bool, string), op, want string) (
	has bool, wrong string) {
	x.Helper()
	was := x.look()
	var failed bool
	var says string
	has, failed, says = do(x, op)
	if !has {
		return false, ""
	}
	now := x.look()
	same := now.rec.TS == was.rec.TS && now.rec.Key == was.rec.Key && now.waits == was.waits
	pinned := content.Parse(now.rec.Content).Pinned
	ok := false
	switch want {
	case "does":
		ok = !failed && !same
	case "refused":
		ok = failed && same && now.proposals == was.proposals
	case "proposes":
		ok = failed && same && strings.Contains(says, "propose")
		if ok && slices.Contains([]string{"set", "forget", "unpin"}, op) {
			x.proposing = true
			if has, failed, says = do(x, op); has {
				now = x.look()
				ok = !failed && now.rec.TS == was.rec.TS && now.proposals == was.proposals+1
			}
		}
	case "a rule":
		ok = !failed && now.isRule && !same
	case "a fact":
		ok = !failed && !now.isRule && !same && now.proposals == 0
	case "a fact, and the pin waits":
		ok = !failed && !now.rec.Key.IsZero() && !now.isRule && !pinned && now.proposals == 1
	default:
		x.Errorf("the table has a cell %q", want)
	}
	if !ok {
		wrong = fmt.Sprintf("failed %v, the same %v, rule %v, %d proposals: %s, %s", failed, same,
			now.isRule, now.proposals, now.rec.Line, says)
	}
	return true, wrong
}

// object returns the JSON of members and values.
func object(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text)
}
