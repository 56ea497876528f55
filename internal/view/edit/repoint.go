package edit

import (
	"context"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Repointed returns the writes of an operation by which memories name others under their new keys,
// and what they replace. text returns the content of a memory then; nil for one that stays as it
// is.
func Repointed(ctx context.Context, op *mem.Operation, text func(log.Record) []byte) (
	was []log.Record, writes []mem.Checked, err error) {
	j := &job{ctx: ctx, store: op.Store(), caller: op.Caller(), op: op,
		verb: "mem " + op.Verb().String()}
	list, err := j.repointed(text)
	for _, one := range list {
		was, writes = append(was, one.was), append(writes, one.write)
	}
	return was, writes, err
}

// repointed looks at what the caller is shown of this store.
func (j *job) repointed(text func(log.Record) []byte) (list []change, err error) {
	author := j.author
	author.Source = nil // it is that of the memory which is renamed
	err = j.store.List(j.ctx, j.caller, mem.Filter{Expired: true}, func(rec log.Record) error {
		after := text(rec)
		if after == nil || MayEdit(rec.Key) != nil {
			return nil
		}
		rec = rec.Clone()
		one, err := j.keeping(rec, after, author.editedSource(j.op, j.verb, rec.Source, 0))
		list = append(list, one)
		return err
	})
	return list, err
}

// succeededBy returns the text for repointed by which the memories that name one of some keys as
// their successor name another.
func succeededBy(to keypath.Key, gone ...keypath.Key) func(log.Record) []byte {
	return func(rec log.Record) []byte {
		by := content.Successor(rec.Content)
		named := func(key keypath.Key) bool { return key.String() == by }
		if by == "" || rec.Key == to || slices.Contains(gone, rec.Key) ||
			!slices.ContainsFunc(gone, named) {
			return nil
		}
		m := jsontext.ParseMembers(rec.Content)
		return m.With("superseded_by", jsontext.AppendString(nil, to.String())).Object()
	}
}

// Replaced returns the live memories that name one of some keys as their successor.
func Replaced(ctx context.Context, s *mem.Store, c mem.Caller, by []keypath.Key) (
	list []keypath.Key, err error) {
	gone := map[string]bool{}
	for _, key := range by {
		gone[key.String()] = true
	}
	err = s.List(ctx, c, mem.Filter{Expired: true}, func(rec log.Record) error {
		if gone[content.Successor(rec.Content)] {
			list = append(list, rec.Key)
		}
		return nil
	})
	return list, err
}

// keysOf returns the keys of changes, never nil.
func keysOf(list []change) []keypath.Key {
	keys := []keypath.Key{}
	for _, one := range list {
		keys = append(keys, one.write.Key())
	}
	return keys
}

// leadsTo reports whether the successors of a memory lead to a key.
func (j *job) leadsTo(rec log.Record, to keypath.Key) bool {
	seen := map[keypath.Key]bool{}
	for {
		next, err := keypath.Parse(content.Successor(rec.Content))
		if err != nil || seen[next] {
			return false
		}
		if next == to {
			return true
		}
		seen[next] = true
		if rec, err = j.store.Get(j.ctx, j.caller, next, true); err != nil {
			return false // what it names is gone
		}
	}
}
