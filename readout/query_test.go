package readout

import (
	"math"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

const day = log.Stamp(24 * 60 * 60 * 1e6)

// now is an instant that all tests share.
const now = 20_000 * day

func TestRecency(t *testing.T) {
	for _, c := range []struct {
		kind string
		age  log.Stamp
		want float64
	}{
		{"conversation", 7 * day, 0.5}, {"conversation", 14 * day, 0.25},
		{"finding", 14 * day, 0.5}, {"decision", 30 * day, 0.5},
		{"preference", 3000 * day, 1}, {"reminder", 14 * day, 0.5}, {"", 28 * day, 0.25},
		{"conversation", 23 * day, math.Exp2(-23.0 / 7)}, {"conversation", 24 * day, 0.1},
		{"decision", 5000 * day, 0.1},
		{"finding", 0, 1}, {"finding", -300 * day, 1},
	} {
		q := Query{Now: now}
		p, ok := q.Score(Item{Key: "/k", TS: now - c.age, Fields: content.Fields{Type: c.kind}})
		if !ok || math.Abs(p.Recency-c.want) > 1e-12 {
			t.Errorf("%s at %d days: %v, want %v", c.kind, c.age/day, p.Recency, c.want)
		}
	}
}

func TestHalfLivesAreTheCallers(t *testing.T) {
	q := Query{Now: now, HalfLives: HalfLives{{"note", 1}, {"", 2}}}
	for kind, want := range map[string]float64{"note": 0.25, "decision": 0.5} {
		if p, _ := q.Score(Item{Key: "/k", TS: now - 2*day,
			Fields: content.Fields{Type: kind}}); p.Recency != want {
			t.Errorf("%s: %v, want %v", kind, p.Recency, want)
		}
	}
	q.HalfLives = HalfLives{}
	if p, _ := q.Score(Item{Key: "/k", TS: now - 2*day}); p.Recency != 1 {
		t.Errorf("an empty table: %v, want 1", p.Recency)
	}
}

func TestMatch(t *testing.T) {
	item := Item{Key: "/k", TS: now, Fields: content.Fields{Tags: []string{"Health", "日历"}},
		Match: 0.75}
	for _, c := range []struct {
		query Query
		want  float64
	}{
		{Query{}, 0},
		{Query{Tags: []string{"health"}}, 1},
		{Query{Tags: []string{"HEALTH", "work"}}, 0.5},
		{Query{Tags: []string{"日历", "heal", "x", "y"}}, 0.25},
		{Query{Lexical: true, Tags: []string{"health"}}, 0.75},
	} {
		if p, _ := c.query.Score(item); p.Match != c.want {
			t.Errorf("%v: %v, want %v", c.query.Tags, p.Match, c.want)
		}
	}
}

func TestTotal(t *testing.T) {
	item := Item{Key: "/k", TS: now - 14*day,
		Fields: content.Fields{Tags: []string{"a"}, Importance: 0.8}, Match: 0.9}
	for _, c := range []struct {
		query Query
		want  float64
	}{
		{Query{Tags: []string{"a"}}, 0.2*1 + 0.5*0.5 + 0.3*0.8},
		{Query{}, 0.5*0.5 + 0.3*0.8},
		{Query{Lexical: true}, 0.92*0.9 + 0.04*0.5 + 0.04*0.8},
		{Query{Lexical: true, Weights: BundleWeights}, 0.6*0.9 + 0.3*0.5 + 0.1*0.8},
	} {
		c.query.Now = now
		if p, _ := c.query.Score(item); math.Abs(p.Total-c.want) > 1e-12 {
			t.Errorf("%+v: %v, want %v", c.query, p.Total, c.want)
		}
	}
	wild := Item{Key: "/k", Fields: content.Fields{Importance: 7}, Match: math.NaN()}
	if p, _ := (&Query{Lexical: true}).Score(wild); p.Match != 0 || p.Importance != 1 {
		t.Errorf("out of range: %+v", p)
	}
}

func TestScoreDrops(t *testing.T) {
	expires := func(at log.Stamp) content.Fields {
		return content.Fields{HasExpiry: true, Expires: at}
	}
	for _, c := range []struct {
		name string
		item Item
		want bool
	}{
		{"live", Item{Key: "/a"}, true},
		{"expired", Item{Key: "/a", Fields: expires(now - 1)}, false},
		{"expires now", Item{Key: "/a", Fields: expires(now)}, true},
		{"tombstone", Item{Key: "/a", Content: []byte("null")}, false},
		{"untrusted", Item{Key: "/untrusted/a"}, false},
		{"untrusted itself", Item{Key: "/untrusted"}, false},
		{"a name like it", Item{Key: "/untrusted-sources/a"}, true},
		{"below another", Item{Key: "/a/untrusted/b"}, true},
	} {
		q := Query{Now: now, Limit: 100}
		p, ok := q.Score(c.item)
		if ok != c.want || !ok && p != (Parts{}) {
			t.Errorf("%s: %v %v", c.name, p, ok)
		}
		s := NewSelector(q)
		s.Add(c.item)
		if page := s.Pack(); (page.Considered == 1) != c.want ||
			(len(page.Entries) == 1) != c.want {
			t.Errorf("%s: %+v", c.name, page)
		}
	}
}

func TestDefaultWeightsAddUp(t *testing.T) {
	for _, w := range []Weights{DefaultWeights, LexicalWeights, BundleWeights} {
		if math.Abs(w.Match+w.Recency+w.Importance-1) > 1e-12 {
			t.Errorf("%+v", w)
		}
	}
}
