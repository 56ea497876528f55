package inject

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/readout"
)

// maxFound is how many hits a prompt looks at: of these few are injected, see fts.Focus.
const maxFound = 24

// relevant returns a page of what a search for the message finds, the best first; what others outdo
// is left out before what the conversation has.
func (ch *choice) relevant() (readout.Page, error) {
	q := ch.query()
	q.Lexical = true
	sel := readout.NewSelector(q)
	message := QueryText(ch.options.Message)
	hits, n, err := ch.search(message)
	if err != nil {
		return readout.Page{}, err
	}
	weak := hits[n:]
	hits, err = ch.addSubjects(hits[:n:n], message)
	var found []string
	match, best := scoresOf(hits), 0.0
	for i, h := range hits {
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
	ch.skipWeak(slices.DeleteFunc(weak, func(h mem.Found) bool { return holds(hits, h) }))
	return page, err
}

// search returns the hits of a search, and how many of the first are relevant and not outdone.
func (ch *choice) search(text string) (hits []mem.Found, n int, err error) {
	hits, err = ch.store.Reader(ch.caller).Search(ch.ctx, mem.SearchOptions{
		Query: text, Plain: true, Limit: maxFound, Relevant: true,
		Focus: true, ForPage: true, Accept: ch.options.accept(), AcceptOf: sessionNotes,
	})
	n = slices.IndexFunc(hits, func(h mem.Found) bool { return h.Below || h.Outdone })
	if n < 0 {
		n = len(hits)
	}
	return hits, n, err
}

// addSubjects adds to the hits of a message of several sentences the best one of each sentence to
// which none of them is clearly relevant.
func (ch *choice) addSubjects(hits []mem.Found, message string) ([]mem.Found, error) {
	if len(hits) == 0 {
		return hits, nil
	}
	for _, sentence := range sentences(message) {
		more, n, err := ch.search(sentence)
		if err != nil {
			return hits, err
		}
		if n > 0 && !slices.ContainsFunc(more[:n], func(h mem.Found) bool {
			return holds(hits, h)
		}) {
			hits = append(hits, more[0])
		}
	}
	return hits, nil
}

// holds reports whether a memory is among hits.
func holds(hits []mem.Found, h mem.Found) bool {
	return slices.ContainsFunc(hits, func(have mem.Found) bool {
		return have.Record.Key == h.Record.Key && have.Record.Layer == h.Record.Layer
	})
}

// The sentences of a message that are searched for by themselves.
const (
	maxSentences = 4  // of more it is a text, not a request
	minSentence  = 12 // bytes
)

// sentences returns the sentences of a message; none for one alone, or for more than a few.
func sentences(message string) (list []string) {
	message += "\n"
	start := 0
	for i, r := range message {
		isEnd := strings.ContainsRune("\n。？！；", r) ||
			strings.ContainsRune("?!;", r) && message[i+1] <= ' ' ||
			r == '.' && text.EndsSentence(message[start:i], message[i+1:])
		if !isEnd {
			continue
		}
		if one := strings.TrimSpace(message[start:i]); len(one) >= minSentence {
			list = append(list, one)
		}
		start = i + utf8.RuneLen(r)
	}
	if len(list) < 2 || len(list) > maxSentences {
		return nil
	}
	return list
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

// scoresOf returns the scores of the hits from high to low, one for each place: the page ranks by
// score, and the order of the hits depends on more than their score.
func scoresOf(hits []mem.Found) []float64 {
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
