package session

import (
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// SearchRequest asks for memories by words and conditions.
type SearchRequest struct {
	request.Sender
	Query  string     `json:"query,omitempty" query:"q"`    // see fts.ParseQuery
	Types  []string   `json:"types,omitempty" query:"type"` // one of these, which commas separate too
	Tags   []string   `json:"tags,omitempty" query:"tag"`   // see mem.SearchOptions
	Prefix string     `json:"prefix,omitempty"`             // with its first slash or without
	Since  *log.Stamp `json:"since,omitempty"`
	Until  *log.Stamp `json:"until,omitempty"`
	Limit  *int       `json:"limit,omitempty" min:"1"` // nil: mem.DefaultSearchLimit

	MinImportance float64 `json:"min_importance,omitempty" tool:"-" min:"0" max:"10"`
	Sort          string  `json:"sort,omitempty" tool:"-" enum:"sort"` // "": by relevance
	Why           bool    `json:"why,omitempty" tool:"-"`
	Relevant      bool    `json:"relevant,omitempty" tool:"-"`

	References keypath.Key `json:"-"` // as in mem.SearchOptions
	Depth      int         `json:"-"`
}

// Sorts are the orders of a search by their names.
var Sorts = map[string]mem.Sort{
	"relevance": mem.ByRelevance, "time": mem.ByTime, "importance": mem.ByImportance,
}

// IsEmpty reports whether a request has no words and no condition.
func (r *SearchRequest) IsEmpty() bool {
	return strings.TrimSpace(r.Query) == "" && len(r.Types)+len(r.Tags) == 0 &&
		strings.Trim(r.Prefix, "/") == "" && r.Since == nil && r.Until == nil &&
		r.MinImportance == 0 && r.References.IsZero()
}

// Check refuses a request that no search can be made of. The error wraps mem.ErrInput or
// keypath.ErrKey.
func (r *SearchRequest) Check() error {
	_, err := r.options()
	return err
}

// options returns the search that is asked for. The error wraps mem.ErrInput or keypath.ErrKey.
func (r *SearchRequest) options() (o mem.SearchOptions, err error) {
	o = mem.SearchOptions{Query: r.Query, Tags: r.Tags, Since: r.Since, Until: r.Until,
		MinImportance: r.MinImportance, Relevant: r.Relevant, Explain: r.Why, Superseded: true,
		References: r.References, Depth: r.Depth}
	for _, list := range r.Types {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				o.Types = append(o.Types, name)
			}
		}
	}
	var known bool
	if o.Sort, known = Sorts[r.Sort]; !known && r.Sort != "" {
		return o, &request.Error{Member: "sort", Value: r.Sort,
			Why: "want relevance, time or importance"}
	}
	if !(r.MinImportance >= 0 && r.MinImportance <= 10) {
		return o, &request.Error{Member: "min_importance", Why: "want a number from 0 to 10"}
	}
	if r.Limit != nil {
		if o.Limit = *r.Limit; o.Limit < 1 {
			return o, &request.Error{Member: "limit", Why: "want a number above 0"}
		}
	}
	o.Prefix, err = keypath.ParsePrefix("/" + strings.TrimPrefix(r.Prefix, "/"))
	return o, err
}

// Find answers a request with the memories that are clearly relevant, where it wants no others, or
// if there are none with the terms that are near.
func Find(ctx context.Context, s *mem.Store, c mem.Caller, r SearchRequest) (
	found []mem.Found, near []mem.NearTerm, err error) {
	o, err := r.options()
	if err != nil {
		return nil, nil, err
	}
	found, err = Search(ctx, s, c, o)
	found = slices.DeleteFunc(found, func(f mem.Found) bool { return f.Below })
	if err == nil && len(found) == 0 {
		near, err = s.Reader(c).NearTerms(ctx, o)
	}
	return found, near, err
}
