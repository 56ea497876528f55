package mem

import (
	"context"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

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
// front that of this key; of any other text, an id, the one beside it whose key ends in it, or else
// the only one anywhere.
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
		return rec, false, nil // what is no key is nobody's
	}
	if rec, found, err = r.live(ctx, v, key); found || err != nil || isKey {
		return rec, found, err
	}
	return r.withID(ctx, v, ref)
}

// maxNaming is how many memories are looked at that have an id in them.
const maxNaming = 100

// withID returns the only memory whose key ends in an id. The segments of keys are words, so it is
// searched for.
func (r Reader) withID(
	ctx context.Context, v backend.Snapshot, id string,
) (rec log.Record, found bool, err error) {
	w := policy.ForSearch(r.caller, backend.Where{Now: r.now})
	hits, err := v.Search(ctx, fts.Words(id), w, backend.SearchOptions{Limit: maxNaming})
	for _, h := range hits {
		if !strings.HasSuffix(h.Record.Key.String(), "/"+id) {
			continue
		}
		if found {
			return log.Record{}, false, nil // an id that two have means neither
		}
		rec, found = h.Record, true
	}
	return rec, found, err
}

// live returns the live memory of a key that the caller may be told of.
func (r Reader) live(ctx context.Context, v backend.Snapshot, key keypath.Key) (
	rec log.Record, found bool, err error) {
	if !policy.Permits(r.caller, key) {
		return rec, false, nil
	}
	rec, found, err = v.Get(ctx, key)
	return rec.Clone(), found && !content.Expired(rec.Content, r.now), err
}
