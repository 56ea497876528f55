package bundle

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/heap"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Bounds of the retrieval.
const (
	poolMost   = 2_000 // candidates that are considered
	poolMore   = 500   // for matches that other sections hold
	packedMost = 200   // chunks in a bundle
	leastItem  = 4     // tokens: less is no item
	leastShare = 500   // with less than this part of the section left, no more are read
)

// candidate is a memory that the query has found, with its score.
type candidate struct {
	mem.Match
	match, rest, score float64 // rest is the part of recency and importance
}

// evidenceOf is a chunk of a candidate.
type evidenceOf struct {
	score  float64
	at     log.Stamp
	rec    log.Record
	number int
	ledger.Chunk
}

// evidence fills in the chunks that the query finds, the best first.
func (x *builder) evidence() error {
	x.addClaims()
	if strings.TrimSpace(x.req.Query) == "" {
		return nil
	}
	found, terms, err := x.read.Matches(x.ctx, x.req.Query, everything, poolMost+poolMore)
	if err != nil {
		return err
	}
	x.out.Provenance.Terms = append(x.out.Provenance.Terms, terms...)
	pool := x.pool(found)
	x.out.Provenance.Pool = len(pool)
	r := retrieval{builder: x, recent: x.recentIDs(),
		waiting: heap.Heap[evidenceOf]{Before: isBetter},
		least:   max(leastItem, x.pack.left[retrievedEvidence]/leastShare)}
	return r.run(pool)
}

// addClaims adds the records that claim to be rules and are none, in at most half of the section.
func (x *builder) addClaims() {
	half := x.pack.left[retrievedEvidence] / 2
	for _, rec := range x.claims {
		if x.pack.left[retrievedEvidence] > half {
			text := x.textOf(rec)
			x.pack.add(retrievedEvidence, Item{Type: "text", Text: x.read.Mark(rec) + text,
				of: rec.Key.String(), Refs: []string{rec.Key.String()}}, text)
		}
	}
}

// pool returns the candidates, those that the query finds best, in the order of their scores.
func (x *builder) pool(found []mem.Match) []candidate {
	found = slices.DeleteFunc(found, func(m mem.Match) bool { return !isEvidence(m.Key) })
	found = found[:min(len(found), poolMost)]
	list := make([]candidate, 0, len(found))
	for _, m := range found {
		c := candidate{Match: m, match: m.Score / found[0].Score}
		c.rest = beta*recency(m.Type, m.Time, x.now) + gamma*importanceOf(m)
		c.score = round(alpha*c.match + c.rest)
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.Time, a.Time),
			a.Key.Compare(b.Key))
	})
	return list
}

// elsewhere lists the namespaces that have a section of their own, or none.
var elsewhere = []keypath.Prefix{decided, tasks, keypath.MustPrefix("/rules"),
	keypath.MustPrefix(keypath.Handoffs), sessions}

// isEvidence reports whether the record of a key may be retrieved.
func isEvidence(key keypath.Key) bool {
	return !slices.ContainsFunc(elsewhere, func(p keypath.Prefix) bool { return p.Holds(key) }) &&
		!(strings.HasPrefix(key.String(), keypath.AgentPrefix+"/") &&
			ledger.IDOf(key) == "identity")
}

// importanceOf returns the importance of an event by its kind, or that which a memory has itself.
func importanceOf(m mem.Match) float64 {
	if m.Key.Class() != keypath.Event {
		return m.Importance
	}
	switch m.Type {
	case "decision":
		return 1
	case "task_update":
		return 0.6
	case "message":
		return 0.4
	}
	return 0.2
}

// recentIDs returns the ids of the messages in the recent window.
func (x *builder) recentIDs() map[string]bool {
	ids := map[string]bool{}
	for _, it := range x.pack.sections[recentWindow].Items {
		ids[it.Refs[0]] = true
	}
	return ids
}

type retrieval struct {
	*builder
	recent  map[string]bool       // events that are in the recent window
	waiting heap.Heap[evidenceOf] // chunks that were read and are not packed yet
	least   int                   // tokens: with fewer left the section is full
	packed  int
	looked  int // chunks that were considered
}

// run packs the chunks of the pool in the order of their scores. A candidate is read when no
// waiting chunk has a better score than its best chunk can have.
func (r *retrieval) run(pool []candidate) error {
	for _, c := range pool {
		if err := r.drain(c.score); err != nil || r.isFull() {
			return err
		}
		if r.recent[ledger.IDOf(c.Key)] {
			continue
		}
		rec, found, err := r.read.Get(r.ctx, c.Key)
		if err != nil {
			return err
		}
		hidden, err := r.isPrivate(rec)
		if err != nil {
			return err
		}
		if hidden {
			r.out.Provenance.Pool-- // other agents' events do not show in a count either
		}
		if found && !hidden {
			r.omitRest(rec)
			r.wait(c, rec)
		}
	}
	return r.drain(-1)
}

func (r *retrieval) isFull() bool {
	return r.packed >= packedMost || r.looked >= poolMost ||
		r.pack.left[retrievedEvidence] < r.least
}

// drain packs the waiting chunks that score at least as much as the next candidate.
func (r *retrieval) drain(least float64) error {
	for r.waiting.Len() > 0 && r.waiting.Items[0].score >= least && !r.isFull() {
		r.looked++
		if err := r.take(r.waiting.Pop()); err != nil {
			return err
		}
	}
	return nil
}

// wait adds the chunks of a candidate to those that wait.
func (r *retrieval) wait(c candidate, rec log.Record) {
	parts, err := r.read.Chunks(rec)
	if err != nil {
		return // of a later build's chunker
	}
	shares := sharesOf(parts, r.out.Provenance.Terms)
	for i, p := range parts {
		if shares[i] > 0 {
			score := round(alpha*c.match*shares[i] + c.rest)
			r.waiting.Push(evidenceOf{score, c.Time, rec, i, p})
		}
	}
}

// take packs a chunk; in place of one of a summary the events that it refers to, if one fits.
func (r *retrieval) take(e evidenceOf) error {
	if r.isSummary(e.rec) {
		instead, err := r.originals(e.rec)
		if err != nil || instead {
			return err
		}
	}
	r.add(e)
	return nil
}

func (r *retrieval) isSummary(rec log.Record) bool {
	return rec.Key.Class() == keypath.Event && bytes.Contains(rec.Content, []byte("summary")) &&
		slices.Contains(content.Parse(rec.Content).Tags, "summary")
}

// originals packs the events that a summary refers to, and reports whether one of them stands in
// the bundle: an event outranks its summary.
func (r *retrieval) originals(rec log.Record) (stands bool, err error) {
	for _, ref := range r.read.Refs(rec) {
		named, err := r.read.Resolve(r.ctx, ref)
		if err != nil || named.Record.Key.Class() != keypath.Event {
			continue // it is gone, or not for this channel
		}
		if hidden, err := r.isPrivate(named.Record); hidden || err != nil {
			continue
		}
		if r.recent[ledger.IDOf(named.Record.Key)] {
			stands = true
			continue
		}
		parts, err := r.read.Chunks(named.Record)
		if err != nil {
			continue
		}
		for i, p := range parts {
			e := evidenceOf{rec: named.Record, number: i, Chunk: p}
			stands = r.add(e) || !r.pack.isNew(p.Text) || stands
		}
	}
	return stands, nil
}

// add packs a chunk as it is.
func (r *retrieval) add(e evidenceOf) bool {
	day := content.TimeOf(e.rec.Content, e.rec.TS).String()[:len("2006-01-02")]
	it := Item{Type: "text", of: nameOf(e.rec.Key), Refs: []string{e.rec.Key.String()}}
	isEvent := e.rec.Key.Class() == keypath.Event
	if isEvent {
		it.Refs = []string{ledger.ChunkID(e.rec.Key, e.number), it.of}
		day = shownName(r.read.Actor(e.rec)) + ", " + day
	}
	before := r.read.Mark(e.rec) + day + ": "
	it.Text, it.tokens = before+e.Text, r.pack.tokens(before)+e.Tokens
	if r.isFull() || !r.pack.add(retrievedEvidence, it, e.Text) {
		return false
	}
	r.packed++
	if !isEvent {
		return true
	}
	r.omitRest(e.rec)
	return true
}

// omitRest lists an event of which only the beginning of the text is kept as omitted, once.
func (x *builder) omitRest(rec log.Record) {
	if rec.Key.Class() != keypath.Event {
		return
	}
	whole := x.read.Whole(rec)
	if whole == "" || slices.ContainsFunc(x.out.Omissions, func(o Omission) bool {
		return o.Reason == truncatedOutput && o.Artifact == whole &&
			slices.Contains(o.Candidates, nameOf(rec.Key))
	}) {
		return
	}
	x.omit(truncatedOutput, rec.Key, whole)
}

// isBetter puts the chunk that scores best first, of equals the newer, the lesser key, the first.
func isBetter(a, b *evidenceOf) bool {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.at, a.at),
		a.rec.Key.Compare(b.rec.Key), cmp.Compare(a.number, b.number)) < 0
}
