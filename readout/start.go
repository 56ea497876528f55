package readout

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// lastingTypes are the types of facts about the whole of a project, and of a rule that has no room
// among the pinned ones.
const lastingTypes = " decision architecture convention environment preference rule "

const (
	taskType    = "task"
	handoffType = "handoff"
)

func isLasting(kind string) bool {
	return kind != "" && strings.Contains(lastingTypes, " "+strings.ToLower(kind)+" ")
}

// startMatch returns 1 for a type that a start prefers, tasks and handoffs among them.
func startMatch(kind string) float64 {
	if isLasting(kind) || kind == taskType || kind == handoffType {
		return 1
	}
	return 0
}

// Share returns the part of the candidates in which a type competes; "" for types without one.
func (q *Query) Share(kind string) string {
	if !q.Start || startMatch(kind) == 0 {
		return ""
	}
	return strings.ToLower(kind)
}

// ShareMost is how many candidates of one share a start takes while others are left.
func (q *Query) ShareMost() int { return q.mostAtStart() / 4 }

// Omits reports whether a start omits a candidate: a finished task, or one for another reader.
func (q *Query) Omits(c *Candidate) bool {
	return q.Start && (c.finished || c.Standing == Withheld)
}

// startAge is the weight of age: the facts that a session needs first are often the oldest.
const startAge = 0.1

// mostAtStart is how many candidates a start looks at. With half of them, facts without a type are
// out of reach behind routine.
func (q *Query) mostAtStart() int { return max(q.Limit, 0)/startLine + spare }

const startLine = 8

// fewCandidates is more than a start with the usual limit looks at.
const fewCandidates = 400

// startMost is how many tokens a page has when no more facts come onto it: behind the first they
// are hardly more than the newest, and a prompt brings those that it asks for. Facts always have
// startLeast. A limit above startLimit, which is the default, adds to startMost.
const startMost, startLeast, startLimit = 1120, 240, 2500

// mostFacts is startMost for the limit of a query.
func (q *Query) mostFacts() int { return startMost + max(0, q.Limit-startLimit) }

// packStart is [Query.PackPinned] for the start of a conversation.
func (q *Query) packStart(pins *Pinned, considered int, ranked iter.Seq2[Candidate, error]) (
	Page, error) {
	list, err := q.startList(ranked)
	if err != nil {
		return Page{Limit: max(q.Limit, 0)}, err
	}
	list = withoutOlderHandoffs(list)
	if len(list) < q.mostAtStart() {
		if page, whole, err := q.packWhole(pins, considered, list); whole || err != nil {
			return page, err
		}
	}
	p := q.packing(considered)
	if err := p.pin(pins); err != nil {
		return p.page, err
	}
	list = slices.DeleteFunc(list, p.isPinned)
	urgent := orderStart(list, q.weights().Match)
	p.wordsAt = map[int]map[string]bool{}
	held := repeats{packing: &p, having: map[string][]int{}}
	for i := range list[:urgent] {
		if p.room() {
			held.offer(&list[i], true)
		}
	}
	p.ahead = len(p.page.Entries)
	whole := p.page.Limit
	p.page.Limit = min(whole, max(q.mostFacts(), p.used+startLeast))
	held.offerFairly(list[urgent:])
	p.page.Limit = whole
	return p.close(), nil
}

// offerFairly offers candidates in order, those of one layer beyond its room after the others.
func (r *repeats) offerFairly(list []Candidate) {
	most := (r.page.Limit - r.used) * 3 / 4
	used := map[string]int{}
	var late []int
	for i := range list {
		c := &list[i]
		if used[c.Layer] > most {
			late = append(late, i)
			continue
		}
		if !r.room() {
			return
		}
		before := r.used
		r.offer(c, false)
		used[c.Layer] += r.used - before
	}
	for _, i := range late {
		if r.room() {
			r.offer(&list[i], false)
		}
	}
}

// startList returns the candidates that a start looks at, ShareMost of a share at most.
func (q *Query) startList(ranked iter.Seq2[Candidate, error]) (list []Candidate, err error) {
	most, count := q.mostAtStart(), map[string]int{}
	var crowd []Candidate
	list = make([]Candidate, 0, min(most, fewCandidates))
	for c, err := range ranked {
		if err != nil {
			return nil, err
		}
		share, few := q.Share(c.kind), q.ShareMost()
		if share == "" {
			few = most * 3 / 4
		}
		of := c.Layer + " " + share
		switch count[of]++; {
		case count[of] <= few:
			list = append(list, c)
		case len(crowd) < most:
			crowd = append(crowd, c)
		}
		if len(list) == most {
			return list, nil
		}
	}
	return append(list, crowd[:min(len(crowd), most-len(list))]...), nil
}

// packWhole packs candidates in the order of any other page, and reports whether all had room.
func (q *Query) packWhole(pins *Pinned, considered int, list []Candidate) (
	page Page, whole bool, err error) {
	plain := *q
	plain.Start = false
	list = slices.Clone(list)
	for i := range list {
		c := &list[i]
		c.Parts = plain.Bound(c.kind, c.Parts.Importance, c.Time)
	}
	slices.SortFunc(list, func(a, b Candidate) int { return a.Compare(&b) })
	p := plain.packing(considered)
	if err := p.pin(pins); err != nil {
		return p.page, false, err
	}
	for i := range list {
		if p.isPinned(list[i]) {
			continue
		}
		if !p.room() {
			return Page{}, false, nil
		}
		p.offer(&list[i])
	}
	isFact := func(c Candidate) bool { return c.kind != taskType && !p.isPinned(c) }
	if p.used > q.mostFacts() && slices.ContainsFunc(list, isFact) {
		return Page{}, false, nil
	}
	page = p.close()
	return page, p.missed == 0 && p.page.MorePinned == 0, nil
}

// The most open tasks, memories of another type before the rest, and facts about the work.
const maxOfKind, maxNear = 9, 8

// The groups of a start, in their order.
const (
	urgent = iota
	near
	facts
	routine
)

// The bytes of text from which detail counts, and at which it counts fully.
const littleDetail, enoughDetail = 80, 200

func detail(text string) float64 {
	return min(1, max(0, float64(len(text)-littleDetail)/(enoughDetail-littleDetail)))
}

// placed is a candidate in a group.
type placed struct {
	Candidate
	group int
	whole bool // a fact about the whole
}

// orderStart sorts candidates into the order of a start, and counts the first: tasks and handoff.
func orderStart(list []Candidate, weight float64) (first int) {
	all := make([]*placed, len(list))
	handoff := newestHandoff(list)
	for i, c := range list {
		instructs := instructs(c.text)
		c.Parts.Total += weight * (instructs + detail(c.text))
		if c.kind == handoffType {
			c.Parts.Total -= weight // what startMatch has given it
		}
		all[i] = &placed{c, facts, isLasting(c.kind) || instructs > 0}
		if i == handoff {
			all[i].group = urgent
		}
	}
	slices.SortFunc(all, func(a, b *placed) int { return a.Compare(&b.Candidate) })
	count, close := map[string]int{}, 0
	for i := range all {
		c := all[i]
		count[c.kind]++
		switch few := count[c.kind] <= maxOfKind; {
		case few && c.kind == taskType:
			c.group = urgent
		case c.near && c.group != urgent && close < maxNear:
			c.group, close = near, close+1
		case !few && !c.whole && c.group != urgent:
			c.group = routine
		}
	}
	slices.SortStableFunc(all, func(a, b *placed) int { return cmp.Compare(a.group, b.group) })
	for i := range all {
		if list[i] = all[i].Candidate; all[i].group == urgent {
			first++
		}
	}
	return first
}

// withoutOlderHandoffs drops, of the messages between agents, all but the newest.
func withoutOlderHandoffs(list []Candidate) []Candidate {
	newest := log.Stamp(0)
	for i := range list {
		if isMessage(&list[i]) {
			newest = max(newest, list[i].Time)
		}
	}
	return slices.DeleteFunc(list, func(c Candidate) bool { return isMessage(&c) && c.Time < newest })
}

// isMessage reports whether a candidate is a message to the agent of this conversation: others are
// no candidates.
func isMessage(c *Candidate) bool { return strings.HasPrefix(c.Key, keypath.Handoffs+"/") }

// newestHandoff returns the place of the newest handoff of the project, a message in the user's
// layer among them; -1 for none.
func newestHandoff(list []Candidate) int {
	newest := -1
	for i := range list {
		c := &list[i]
		if c.kind == handoffType && (c.Layer != userLayer || isMessage(c)) &&
			(newest < 0 || c.Time > list[newest].Time) {
			newest = i
		}
	}
	return newest
}

// repeats holds back lines that resemble two lines of a page.
type repeats struct {
	*packing
	lines  []map[string]bool // the words of each
	entry  []int             // where it is on the page
	having map[string][]int  // the lines that have a word
	groups []int             // the entries with a summary line
}

// offer offers a candidate to the page, unless it repeats two lines there and is not to be kept.
func (r *repeats) offer(c *Candidate, keep bool) {
	has := words(c.text)
	if _, again := r.said[r.text(c)]; !keep && !again && r.isHeld(has) {
		return
	}
	at := len(r.page.Entries)
	if r.packing.offer(c); len(r.page.Entries) == at {
		return
	}
	if text := r.page.Entries[at].Text; text != c.text {
		has = words(text) // flattened: a summary line may show these words
	}
	for word := range has {
		r.having[word] = append(r.having[word], len(r.lines))
	}
	r.lines, r.entry = append(r.lines, has), append(r.entry, at)
	r.wordsAt[at] = has
}

// isHeld reports whether two lines of the page have most of these words each, and a summary line
// stands for them.
func (r *repeats) isHeld(has map[string]bool) bool {
	shared := make([]int, len(r.lines))
	for word := range has {
		for _, line := range r.having[word] {
			shared[line]++
		}
	}
	var alike []int
	for line, n := range shared {
		if 2*n > len(has) {
			alike = append(alike, line)
		}
	}
	if len(alike) < 2 {
		return false
	}
	for _, at := range r.groups {
		e := &r.page.Entries[at]
		lacks := func(word string) bool { return !has[word] }
		if !slices.ContainsFunc(strings.Fields(e.about), lacks) {
			e.held++
			return true
		}
	}
	return r.begin(alike[0], alike[1], has)
}

// The words that a summary line has at least and at most.
const minAbout, maxAbout = 2, 3

// begin begins the summary of a pair of lines with a third that has these words, and reports
// whether there is room for it.
func (r *repeats) begin(first, second int, has map[string]bool) bool {
	at := r.entry[second]
	e := &r.page.Entries[at]
	about := slices.DeleteFunc(inOrder(r.lines[second], e.Text), func(word string) bool {
		return !has[word] || !r.lines[first][word]
	})
	if e.held > 0 || len(about) < minAbout {
		return false
	}
	e.about = strings.Join(about[:min(len(about), maxAbout)], " ")
	cost := Tokens(summary(maxMore, e.about))
	if r.used+cost > r.page.Limit {
		return false
	}
	e.held, e.Tokens, r.used = 1, e.Tokens+cost, r.used+cost
	r.groups = append(r.groups, at)
	return true
}

// inOrder returns those words with a letter as they stand in a text, without pieces of
// contractions, which a search takes for whole words.
func inOrder(words map[string]bool, text string) (list []string) {
	text = strings.ToLower(text)
	for word := range words {
		if strings.IndexFunc(word, unicode.IsLetter) >= 0 && !strings.Contains(text, word+"'") {
			list = append(list, word)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Index(text, a), strings.Index(text, b)), cmp.Compare(a, b))
	})
	return list
}

// summary returns the line that stands for n memories with the same words.
func summary(n int, about string) string {
	return fmt.Sprintf("%d more about %s: mem search \"%s\"\n", n, about, about)
}

// isFinished reports whether an item is a task that is done.
func isFinished(it *Item) bool {
	if it.Fields.Type != taskType {
		return false
	}
	for name, value := range jsontext.RawMembers(it.Content) {
		if string(name) == "status" {
			return jsontext.Unquote(value) == "done"
		}
	}
	return false
}
