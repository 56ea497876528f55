package bundle

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The namespaces that sections are filled from.
var (
	decided     = keypath.MustPrefix("/decision")
	tasks       = keypath.MustPrefix("/task")
	notes       = keypath.MustPrefix(keypath.Notes)
	everything  = keypath.MustPrefix("/")
	preferences = keypath.MustPrefix("/user/preference")
	sessions    = keypath.MustPrefix(keypath.Sessions) // no section has them
)

// textOf returns the text of a record for a section; "" for a sealed one, which is omitted.
func (x *builder) textOf(rec log.Record) string {
	text, ok := x.read.Text(rec)
	if !ok {
		x.omit(sealedRecord, rec.Key, "")
	}
	return text
}

func (x *builder) identity() error {
	key, err := keypath.Parse(keypath.AgentPrefix + "/" + x.req.Agent + "/identity")
	if err != nil {
		return err
	}
	rec, found, err := x.read.GetPlaced(x.ctx, key)
	if found && x.read.Describes(rec, x.req.Agent) {
		x.pack.addCut(identity, Item{Type: "text", Text: x.textOf(rec), of: key.String(),
			Refs: []string{"view:identity", key.String()}})
	}
	return err
}

// rules adds the rules below /rules, those of the organization first and those of the user last,
// then preferences and pinned notes. Records that claim to be rules and are none come first in the
// evidence.
func (x *builder) rules() error {
	all, err := x.read.Placed(x.ctx, keypath.MustPrefix(policy.RulesPrefix))
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b log.Record) int {
		return rulesRank(groupOf(a.Key)) - rulesRank(groupOf(b.Key))
	})
	for _, rec := range all {
		x.addRules([]log.Record{rec}, "view:rules."+groupOf(rec.Key))
	}
	list, err := x.lasting()
	x.addRules(list, "view:rules.user")
	return err
}

// groupOf returns whom a rule is for, by its key: /rules/org/go is a rule of the organization.
func groupOf(rule keypath.Key) string {
	group, _, _ := strings.Cut(strings.TrimPrefix(rule.String(), policy.RulesPrefix+"/"), "/")
	return group
}

// rulesRank returns the place of a group: the widest first, a team before a project.
func rulesRank(group string) int {
	if i := slices.Index([]string{"org", "", "project", "user"}, group); i >= 0 {
		return i
	}
	return 1
}

// lasting returns the preferences and the pinned notes, the most important first.
func (x *builder) lasting() (list []log.Record, err error) {
	importance := map[keypath.Key]float64{}
	for _, of := range [...]struct {
		below keypath.Prefix
		types []string
		takes func(content.Fields) bool
	}{
		{everything, []string{"preference"}, func(content.Fields) bool { return true }},
		{preferences, nil, func(content.Fields) bool { return true }},
		{notes, nil, func(f content.Fields) bool { return f.Pinned }},
	} {
		found, err := x.read.Newest(x.ctx, of.below, 0, of.types...)
		if err != nil {
			return nil, err
		}
		for _, rec := range found {
			f := content.Parse(rec.Content)
			if _, seen := importance[rec.Key]; !seen && of.takes(f) &&
				!sessions.Holds(rec.Key) {
				importance[rec.Key] = f.Importance
				list = append(list, rec)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b log.Record) int {
		return cmp.Compare(importance[b.Key], importance[a.Key])
	})
	return list, nil
}

func (x *builder) addRules(list []log.Record, view string) {
	for _, rec := range list {
		if !x.read.IsRule(rec) {
			x.claims = append(x.claims, rec)
			continue
		}
		x.pack.addCut(rules, Item{Type: "text", Text: x.textOf(rec), of: nameOf(rec.Key),
			Refs: []string{view, rec.Key.String()}})
	}
}

// tasks adds the open tasks: those in progress first, then the others, each with the tasks of the
// session first and the newest first.
func (x *builder) tasks() error {
	records, err := x.shared(x.read.Important(x.ctx, tasks, ledger.OpenImportance))
	if err != nil {
		return err
	}
	var list []ledger.Task
	marks := map[string]string{}
	for _, rec := range records {
		t, ok := x.read.Task(rec)
		switch {
		case !ok:
			x.omit(sealedRecord, rec.Key, "")
		case t.Status != "done" && t.Title != "":
			marks[t.ID] = x.read.Mark(rec)
			list = append(list, t)
		}
	}
	rank := func(t ledger.Task) (n int) {
		if t.Status != "doing" {
			n = 2
		}
		if t.Session != x.req.Session {
			n++
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b ledger.Task) int { return rank(a) - rank(b) })
	for _, t := range list {
		text := marks[t.ID] + t.Status + ": " + t.Title
		if t.Details != "" {
			text += "\n" + t.Details
		}
		it := Item{Type: "text", Text: text, Refs: append([]string{t.ID}, t.Refs...), of: t.ID}
		x.pack.add(taskState, it, text)
	}
	return nil
}

func (x *builder) handoff() error {
	key, err := keypath.Parse(keypath.Handoffs + "/" + x.req.Session + "/" + x.req.Agent)
	if err != nil {
		return err
	}
	rec, found, err := x.read.GetPlaced(x.ctx, key)
	if !found {
		return err
	}
	x.pack.addCut(handoffPacket, Item{Type: "text", Text: x.read.Mark(rec) + x.textOf(rec),
		of: key.String(), Refs: append([]string{key.String()}, x.read.Refs(rec)...)})
	return err
}

// decisions adds the active decisions, the best first: without a query, the newest.
func (x *builder) decisions() error {
	records, match, err := x.currentDecisions()
	if records, err = x.shared(records, err); err != nil {
		return err
	}
	score := make(map[keypath.Key]float64, len(records))
	for _, rec := range records {
		at := content.TimeOf(rec.Content, rec.TS)
		score[rec.Key] = round(
			alpha*match[rec.Key] + beta*recency("decision", at, x.now) + gamma)
	}
	slices.SortStableFunc(records, func(a, b log.Record) int {
		return cmp.Or(cmp.Compare(score[b.Key], score[a.Key]), cmp.Compare(b.TS, a.TS))
	})
	for _, rec := range records {
		d, ok := x.read.Decision(rec)
		if !ok {
			x.omit(sealedRecord, rec.Key, "")
			continue
		}
		if line := lineOf(&d.Decision); d.Status == ledger.Active && d.Text != "" {
			it := Item{Type: "decision", Decision: d.ID, Text: x.read.Mark(rec) + line,
				Refs: append([]string{}, d.Refs...), of: d.ID}
			x.pack.add(decisionLedger, it, line)
		}
	}
	return nil
}

// manyDecisions is more decisions than fit their section: the best are among so many of the newest,
// and so many that the query finds.
const manyDecisions = 400

// currentDecisions returns the decisions that may stand in the bundle, and how well the query
// finds them.
func (x *builder) currentDecisions() (
	list []log.Record, match map[keypath.Key]float64, err error) {
	list, err = x.read.Newest(x.ctx, decided, manyDecisions)
	if err != nil || strings.TrimSpace(x.req.Query) == "" {
		return list, nil, err
	}
	found, _, err := x.read.Matches(x.ctx, x.req.Query, decided, manyDecisions)
	match = map[keypath.Key]float64{}
	for _, m := range found {
		match[m.Key] = m.Score / found[0].Score
	}
	here := map[keypath.Key]bool{}
	for _, rec := range list {
		here[rec.Key] = true
	}
	for _, m := range found {
		if rec, ok, err := x.read.Get(x.ctx, m.Key); !here[m.Key] && ok {
			list = append(list, rec)
		} else if err != nil {
			return nil, nil, err
		}
	}
	return list, match, err
}

func lineOf(d *ledger.Decision) string {
	var out strings.Builder
	out.WriteString(d.Text)
	for _, part := range [...]struct {
		name string
		list []string
	}{
		{"Rationale", d.Rationale}, {"Constraints", d.Constraints},
		{"Alternatives", d.Alternatives}, {"Consequences", d.Consequences},
		{"Supersedes", d.Supersedes},
	} {
		if len(part.list) > 0 {
			out.WriteString("\n" + part.name + ": " + strings.Join(part.list, "; "))
		}
	}
	return out.String()
}

// The weights of match, recency and importance in a score.
const (
	alpha = 0.6
	beta  = 0.3
	gamma = 0.1

	microsecondsPerHour = 3600e6
)

// recency returns 1 for a memory of now or later, and halves it with each half-life of its kind.
func recency(kind string, at, now log.Stamp) float64 {
	halfLife := 336.0
	switch kind {
	case "decision":
		halfLife = 720
	case "message":
		halfLife = 168
	}
	hours := float64(now-at) / microsecondsPerHour
	return math.Exp2(-max(hours, 0) / halfLife)
}

// round returns a score without the last bits, in which the order of a sum shows: the same memories
// rank alike, whatever sidecars there are.
func round(score float64) float64 { return math.Round(score*1e9) / 1e9 }
