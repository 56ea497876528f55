package session

import (
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
)

// SearchRequest asks for memories by words and conditions.
type SearchRequest struct {
	request.Sender
	mem.SearchOptions
	Prefix string `json:"prefix,omitempty"`        // with its first slash or without
	Limit  *int   `json:"limit,omitempty" min:"1"` // nil: mem.DefaultSearchLimit
}

// Sorts are the orders of a search.
var Sorts = []string{"importance", "relevance", "time"}

// IsEmpty reports whether a request has no words and no condition.
func (r *SearchRequest) IsEmpty() bool {
	return strings.TrimSpace(r.Query) == "" && strings.Trim(r.Prefix, "/") == "" && !r.Narrow() &&
		len(r.Tags) == 0 && r.References.IsZero()
}

// Check refuses a request that no search can be made of. The error wraps mem.ErrInput or
// keypath.ErrKey.
func (r *SearchRequest) Check() error {
	_, err := r.options()
	return err
}

// options returns the search that is asked for. The error wraps mem.ErrInput or keypath.ErrKey.
func (r *SearchRequest) options() (o mem.SearchOptions, err error) {
	o = r.SearchOptions
	o.Superseded = true
	if o.Sort == "relevance" {
		o.Sort = mem.ByRelevance
	}
	switch long := policy.CheckLength("words", len(o.Query), mem.MaxQuery, "bytes"); {
	case long != nil:
		return o, long
	case o.Sort != mem.ByRelevance && !slices.Contains(Sorts, string(o.Sort)):
		return o, &request.Error{Member: "sort", Value: string(o.Sort),
			Why: "want relevance, time or importance"}
	}
	if err := request.CheckBounds(r); err != nil {
		return o, err
	}
	if r.Limit != nil {
		o.Limit = *r.Limit
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
