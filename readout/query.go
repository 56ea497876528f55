package readout

import (
	"math"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Remark returns a remark on a memory of a layer by the files that it names, for the end of its
// line; "" for none.
type Remark func(layer string, files []content.File) string

// Item is one memory: the newest envelope of its key.
type Item struct {
	Key     string
	TS      log.Stamp // of its write; see Time for the time that ranks it
	Fields  content.Fields
	Content []byte  // compact JSON; read only where Fields holds no text, and never kept
	Source  []byte  // compact JSON, for the record of read memories; may be nil
	Layer   string  // as log.Record.Layer
	Match   float64 // relevance to the text query, 0..1; counts only with Query.Lexical
}

// Time returns the time of the memory, by which it is ranked and shown.
func (it *Item) Time() log.Stamp { return it.Fields.Time(it.TS) }

// Query holds the conditions and limits of a read.
type Query struct {
	Now       log.Stamp // the instant for age and expiry
	Limit     int       // budget of the page, in estimated tokens (see [Tokens])
	Tags      []string  // they change the order, and filter nothing
	Lexical   bool      // there is a text query: Item.Match takes the place of the tags
	Weights   Weights   // all zero: [DefaultWeights], or with Lexical [LexicalWeights]
	HalfLives HalfLives // nil: [DefaultHalfLives]
	Labels    *Labels   // how the lines name their memories; nil: by key and type

	// Remark is asked for the lines that a page offers; nil: no line has a remark.
	Remark Remark
	// Standing decides how far a memory binds its reader; nil: all are facts.
	Standing func(*Item) Standing
	AsRanked bool // the page repeats texts, and no newer line takes an older one's place
	Start    bool // the page begins a conversation, see Start in the package comment

	// Near reports whether a memory is about the work of the conversation that begins; nil: it is
	// not known of any.
	Near func(*Item) bool
}

// Weights say how much each part counts in the score. They need not add up to 1, but the ready-made ones do.
type Weights struct {
	Match      float64 `json:"match"`
	Recency    float64 `json:"recency"`
	Importance float64 `json:"importance"`
}

// The table of weights.
var (
	// DefaultWeights: newest, then important, then tags.
	DefaultWeights = Weights{Match: 0.2, Recency: 0.5, Importance: 0.3}
	// LexicalWeights: relevance leads, for recency mixed in at 0.3 costs three points of recall.
	LexicalWeights = Weights{Match: 0.92, Recency: 0.04, Importance: 0.04}
	// BundleWeights: the mix of the context bundle.
	BundleWeights = Weights{Match: 0.6, Recency: 0.3, Importance: 0.1}
)

// HalfLife is how long a memory of a type takes to be half as recent.
type HalfLife struct {
	Type string  // as in content.type; "" for every type without a line of its own
	Days float64 // 0: it never grows old
}

// HalfLives is the table of half-lives; the first line that applies counts.
type HalfLives []HalfLife

// DefaultHalfLives are the half-lives without a configuration; a memory without a type counts as a
// finding.
var DefaultHalfLives = HalfLives{{"conversation", 7}, {"finding", 14}, {"decision", 30}, {"preference", 0}, {"", 14}}

// MinRecency is the floor that a memory's recency does not fall through.
const MinRecency = 0.1

// Parts are a score and what it was made of, each in 0..1 (given weights that add up to 1).
type Parts struct{ Match, Recency, Importance, Total float64 }

// Score rates a memory. It is not ok for a memory that must not appear.
func (q *Query) Score(it Item) (p Parts, ok bool) { return q.score(&it) }

func (q *Query) score(it *Item) (p Parts, ok bool) {
	if keypath.ClassOf(it.Key) == keypath.Quarantined || it.Fields.Expired(q.Now) || string(it.Content) == "null" {
		return Parts{}, false
	}
	p = Parts{Match: q.match(it), Recency: q.recency(it.Time(), it.Fields.Type), Importance: share(it.Fields.Importance)}
	p.Total = q.total(p)
	return p, true
}

// Bound returns the most that a memory of a type, importance and time can score: with all the tags
// that are asked for. Expiry does not count.
func (q *Query) Bound(kind string, importance float64, at log.Stamp) Parts {
	p := Parts{Recency: q.recency(at, kind), Importance: share(importance)}
	if q.Start {
		p.Match = startMatch(kind)
	} else if len(q.Tags) > 0 {
		p.Match = 1
	}
	p.Total = q.total(p)
	return p
}

func (q *Query) total(p Parts) float64 {
	w := q.weights()
	if q.Start {
		w.Recency *= startAge
	}
	return w.Match*p.Match + w.Recency*p.Recency + w.Importance*p.Importance
}

func (q *Query) weights() Weights {
	switch {
	case q.Weights != Weights{}:
		return q.Weights
	case q.Lexical:
		return LexicalWeights
	}
	return DefaultWeights
}

// recency is max(0.1, 2^(-age/half-life)); a time in the future counts as now.
func (q *Query) recency(at log.Stamp, kind string) float64 {
	days := q.HalfLives.days(kind)
	if days <= 0 || at >= q.Now {
		return 1
	}
	age := float64(q.Now-at) / float64(log.Day)
	return max(MinRecency, math.Exp2(-age/days))
}

func (h HalfLives) days(kind string) float64 {
	if h == nil {
		h = DefaultHalfLives
	}
	for i := range h {
		if h[i].Type == kind || h[i].Type == "" {
			return h[i].Days
		}
	}
	return 0
}

// match returns the relevance to the text query, or the share of the input tags; 0 for none.
func (q *Query) match(it *Item) float64 {
	if q.Lexical {
		return share(it.Match)
	}
	if q.Start {
		return startMatch(it.Fields.Type)
	}
	if len(q.Tags) == 0 {
		return 0
	}
	found := 0
	for _, tag := range q.Tags {
		same := func(t string) bool { return strings.EqualFold(t, tag) }
		if slices.ContainsFunc(it.Fields.Tags, same) {
			found++
		}
	}
	return float64(found) / float64(len(q.Tags))
}

// share clamps a number to 0..1; NaN counts as 0.
func share(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, 0), 1)
}
