package inject

import (
	"cmp"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/readout"
)

// maxFound is how many hits a prompt looks at: of these few are injected, see fts.Focus.
const maxFound = 24

// relevant returns a page of what a search for the message finds, the best first. What others outdo
// is left out before what the conversation has: else a topic that comes again would bring ever
// weaker memories.
func (ch *choice) relevant() (readout.Page, error) {
	q := ch.query()
	q.Lexical = true
	sel := readout.NewSelector(q)
	hits, err := ch.store.Reader(ch.caller).Search(ch.ctx, mem.SearchOptions{
		Query: QueryText(ch.options.Message), Plain: true, Limit: maxFound, Relevant: true,
		Focus: true, ForPage: true, Accept: ch.options.accept(), AcceptOf: sessionNotes,
	})
	n := slices.IndexFunc(hits, func(h mem.Found) bool { return h.Below || h.Outdone })
	if n < 0 {
		n = len(hits)
	}
	var found []string
	match, best := standing(hits[:n]), 0.0
	for i, h := range hits[:n] {
		it := mem.ItemOf(h.Record)
		if ch.isKnown(h.Record) {
			ch.before++
			continue
		}
		best = max(best, match[i])
		it.Match = match[i] / best
		found = append(found, it.Key)
		sel.Add(it)
	}
	page := sel.Pack()
	for _, key := range found {
		ch.skipUnlessOn(page, key)
	}
	ch.skipWeak(hits[n:])
	return page, err
}

// skipWeak names hits, the best first, as left out because they do not say enough of the message.
func (ch *choice) skipWeak(hits []mem.Found) {
	ch.before += len(hits)
	for _, h := range hits {
		why := skippedFloor
		if h.Outdone {
			why = skippedOutdone
		}
		ch.skip(h.Record.Key.String(), why)
	}
}

// standing returns the scores of the hits from high to low, one for each place: the page ranks by
// score, and the order of the hits depends on more than their score.
func standing(hits []mem.Found) []float64 {
	scores := make([]float64, len(hits))
	for i, h := range hits {
		scores[i] = h.Score
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	return scores
}

// queryEnds is how many bytes of either end of a message are searched for: the subject of a long
// message is there, and pasted text is in between.
const queryEnds = 2 << 10

// QueryText returns the part of a message that is searched for.
func QueryText(message string) string {
	message = readout.Unfence(message)
	if len(message) <= 2*queryEnds {
		return message
	}
	// A character that is cut in two becomes a space.
	return strings.ToValidUTF8(message[:queryEnds]+"\n"+message[len(message)-queryEnds:], " ")
}
