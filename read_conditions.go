package mem

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Conditions are what a search asks for besides words, see SearchOptions.
type Conditions = backend.Conditions

// SearchOptions are what a search is for. All conditions hold together. It is a request, too, as
// package request describes them.
type SearchOptions struct {
	Query string `json:"query,omitempty" query:"q"` // see fts.ParseQuery; "": conditions alone
	Conditions
	// Tags are conditions, too: each "a,b" (one of these), or "!a" (none); a has a.b too.
	Tags     []string `json:"tags,omitempty" query:"tag"`
	Limit    int      `json:"-"` // hits; 0 is DefaultSearchLimit
	Sort     Sort     `json:"sort,omitempty" tool:"-" enum:"sort"`
	Explain  bool     `json:"why,omitempty" tool:"-"`      // return the parts of each score
	Relevant bool     `json:"relevant,omitempty" tool:"-"` // mark the others, see Found.Below
	// Focus, with Relevant, is for lines that nobody asked for: the floor is a little lower, and
	// hits that others outdo come after these, see Found.Outdone.
	Focus bool `json:"-"`

	// References are what this memory refers to, what those do, and so on for Depth levels (0: 1).
	// Only these are found. A link leads from the record that has it to the record that it names.
	References keypath.Key `json:"-"`
	Depth      int         `json:"-"`

	Plain   bool `json:"-"` // Query is a message: nothing in it is syntax
	ForPage bool `json:"-"` // for a prompt: only memories that a read shows, see policy.ForPage

	Accept   func(log.Record) bool `json:"-"` // only what it accepts, see backend.Where; nil: all
	AcceptOf backend.Classes       `json:"-"` // the classes it is asked about; none: all

	// Relevance orders the hits in place of the score of the search; nil: the score counts. It
	// returns 0 or more of each candidate, and holds only with ByRelevance.
	Relevance func(Candidate) float64 `json:"-"`
}

// Candidate is a memory that a search has found, before its record is read.
type Candidate struct {
	backend.SortKey
	Match float64 // its score as a share of the best of this search, in 0..1; 1 without words
}

// Sort is the order of the hits, by its name.
type Sort string

// The orders. Where nothing is looked for by words all is as relevant, and the newest comes first.
const (
	ByRelevance  Sort = ""
	ByTime       Sort = "time"       // the newest first
	ByImportance Sort = "importance" // the most important first, of equal importance the newest
)

// order returns the order of a selection: by relevance, if there is one.
func (o SearchOptions) order() backend.Order {
	if o.Sort == ByRelevance && o.Relevance != nil {
		return backend.ByScore(func(p backend.SortKey) float64 {
			return o.Relevance(Candidate{SortKey: p, Match: 1})
		})
	}
	return o.Sort.order()
}

func (s Sort) order() backend.Order {
	if s == ByImportance {
		return backend.MostImportantFirst
	}
	return backend.NewestFirst
}

// DefaultSearchLimit is how many hits a search returns by default.
const DefaultSearchLimit = 20

// MaxQuery is how many bytes of a query are looked for.
const MaxQuery = fts.MaxQuery

func (o SearchOptions) limit() int { return cmp.Or(o.Limit, DefaultSearchLimit) }

func (o SearchOptions) query() (q *fts.Query, err error) {
	if o.Plain {
		return fts.Words(o.Query), nil
	}
	if q, err = fts.ParseQuery(o.Query); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	return q, nil
}

// Where returns the conditions besides the words, for a check of single records; now is the
// instant for expiry. The error wraps ErrInput.
func (o SearchOptions) Where(now log.Stamp) (backend.Where, error) {
	w := backend.Where{Conditions: o.Conditions, Now: now, Accept: o.Accept, AcceptOf: o.AcceptOf}
	w.Types = nil
	for _, list := range o.Types {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				w.Types = append(w.Types, name)
			}
		}
	}
	if w.MinImportance > 1 {
		w.MinImportance /= 10
	}
	if err := policy.CheckList("types", len(w.Types)); err != nil {
		return w, err
	}
	tags := 0
	for _, text := range o.Tags {
		tags += 1 + strings.Count(text, ",")
		if err := policy.CheckList("tags", tags); err != nil {
			return w, err
		}
		rule, err := tagRule(text)
		if err != nil {
			return w, err
		}
		w.Tags = append(w.Tags, rule)
	}
	return w, nil
}

// tagRule reads a condition on tags: "a,b" is one of these, and "!a,b" none of these.
func tagRule(text string) (rule backend.TagRule, err error) {
	list, not := strings.CutPrefix(strings.TrimSpace(text), "!")
	rule.Not = not
	for tag := range strings.SplitSeq(list, ",") {
		switch tag = strings.TrimSpace(tag); {
		case strings.HasPrefix(tag, "!"):
			return rule, fault.Input("tag "+text, "! may only precede the whole list",
				advice.Shell(split(text)))
		case tag != "":
			rule.Any = append(rule.Any, tag)
		}
	}
	if len(rule.Any) == 0 {
		return rule, fault.Input("tag", "it is empty", nil)
	}
	return rule, nil
}

// split returns the flags for a list of which some are wanted, and others not.
func split(text string) string {
	var wanted []string
	hint := ""
	for tag := range strings.SplitSeq(text, ",") {
		tag = strings.ReplaceAll(strings.TrimSpace(tag), "'", `'\''`)
		switch {
		case strings.HasPrefix(tag, "!"):
			hint += " --tag '!" + strings.TrimLeft(tag, "! ") + "'"
		case tag != "":
			wanted = append(wanted, tag)
		}
	}
	if len(wanted) > 0 {
		hint = " --tag '" + strings.Join(wanted, ",") + "'" + hint
	}
	return "each condition has a flag of its own:" + hint
}

// conditions returns those besides the words. With o.References only some keys meet them: among,
// which they ask about too.
func (r Reader) conditions(ctx context.Context, v backend.Snapshot, o SearchOptions) (
	w backend.Where, among map[keypath.Key]bool, err error) {
	if w, err = o.Where(r.now); err != nil {
		return w, nil, err
	}
	if o.ForPage {
		w = policy.ForPage(r.caller, w)
	} else {
		w = policy.ForSearch(r.caller, w)
	}
	if o.References.IsZero() {
		return w, nil, nil
	}
	if among, err = r.linked(ctx, v, o.References, max(o.Depth, 1)); err != nil {
		return w, nil, err
	}
	asked := w
	w.AcceptOf, w.Accept = 0, func(rec log.Record) bool {
		return among[rec.Key] && (!asked.Asks(rec.Key.Class()) || asked.Accept(rec))
	}
	return w, among, nil
}

// linked returns the keys to which the references of a memory lead (content.References), those of
// these memories, and so on for so many levels; the memory itself is not among them. The error is a
// *NotFoundError where it is not there.
func (r Reader) linked(
	ctx context.Context, v backend.Snapshot, from keypath.Key, depth int,
) (map[keypath.Key]bool, error) {
	rec, found, err := r.live(ctx, v, from)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, &NotFoundError{Key: from}
	}
	among, level := map[keypath.Key]bool{}, []log.Record{rec}
	for ; depth > 0 && len(level) > 0; depth-- {
		var next []log.Record
		for _, rec := range level {
			for _, ref := range content.References(rec.Content) {
				to, found, err := r.referenced(ctx, v, rec.Key, ref)
				if err != nil {
					return nil, err
				}
				if found && to.Key != from && !among[to.Key] {
					among[to.Key], next = true, append(next, to)
				}
			}
		}
		level = next
	}
	return among, nil
}

// referenced returns the memory that a reference of another one means: of a text with a slash in
// front that of this key, or the only note that has its id with letters; of any other text, an id,
// the one beside it whose key ends in it, or else the only one anywhere.
func (r Reader) referenced(
	ctx context.Context, v backend.Snapshot, by keypath.Key, ref string,
) (rec log.Record, found bool, err error) {
	isKey := strings.HasPrefix(ref, "/")
	if !isKey && strings.Contains(ref, "/") {
		return rec, false, nil
	}
	name := ref
	if !isKey {
		name = by.String()[:strings.LastIndexByte(by.String(), '/')+1] + ref
	}
	key, err := keypath.Parse(name)
	if err != nil {
		return rec, false, nil // a text that is not a key has no owner
	}
	if rec, found, err = r.live(ctx, v, key); found || err != nil {
		return rec, found, err
	}
	if !isKey {
		return r.withID(ctx, v, ref)
	}
	id, isNote := keypath.NoteID(key)
	if !isNote {
		return rec, false, nil
	}
	rec, found, err = r.withID(ctx, v, id) // the note may have got letters since
	return rec, found && strings.HasPrefix(rec.Key.String(), ref+"-"), err
}

// maxNaming is how many memories are looked at that have an id in them.
const maxNaming = 100

// withID returns the only memory whose key ends in an id, or in that of a note whose short form it
// is. The segments of keys are words, so it is
// searched for.
func (r Reader) withID(
	ctx context.Context, v backend.Snapshot, id string,
) (rec log.Record, found bool, err error) {
	w := policy.ForSearch(r.caller, backend.Where{Now: r.now})
	hits, err := v.Search(ctx, fts.Words(id), w, backend.SearchOptions{Limit: maxNaming})
	for _, h := range hits {
		short, isNote := keypath.ShortID(h.Record.Key)
		if !strings.HasSuffix(h.Record.Key.String(), "/"+id) && !(isNote && short == id) {
			continue
		}
		if found {
			return log.Record{}, false, nil // an id that two have means neither
		}
		rec, found = h.Record, true
	}
	return rec, found, err
}

// live returns the live memory of a key, if the caller may see it.
func (r Reader) live(ctx context.Context, v backend.Snapshot, key keypath.Key) (
	rec log.Record, found bool, err error) {
	if !policy.Permits(r.caller, key) {
		return rec, false, nil
	}
	rec, found, err = v.Get(ctx, key)
	return rec.Clone(), found && !content.Expired(rec.Content, r.now), err
}
