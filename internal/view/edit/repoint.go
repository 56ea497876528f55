package edit

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// repointed returns the writes by which the memories that name one of some keys as their successor
// name another. It looks at what the caller is shown of this store.
func (j *job) repointed(gone []keypath.Key, to keypath.Key) (list []change, err error) {
	author := j.author
	author.Source = nil // it is that of the memory which is renamed
	stays := func(rec log.Record) bool {
		return rec.Key == to || slices.Contains(gone, rec.Key) || MayEdit(rec.Key) != nil
	}
	err = j.store.List(j.ctx, j.caller, mem.Filter{Expired: true}, func(rec log.Record) error {
		by := content.Successor(rec.Content)
		named := func(key keypath.Key) bool { return key.String() == by }
		if by == "" || stays(rec) || !slices.ContainsFunc(gone, named) {
			return nil
		}
		rec = rec.Clone()
		m, err := membersOf(rec.Key, rec.Content)
		if err != nil {
			return err
		}
		text := m.With("superseded_by", jsontext.AppendString(nil, to.String())).Object()
		one, err := j.keeping(rec, text, author.editedSource(j.op, j.verb, rec.Source, 0))
		list = append(list, one)
		return err
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

// leadsTo reports whether what has replaced a memory, and what has replaced that, is in the end
// what lies under a key.
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
