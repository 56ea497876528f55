package lettering

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Given is a note that got letters.
type Given struct {
	From keypath.Key `json:"from"`
	To   keypath.Key `json:"to"`
}

// Plain returns how many live notes of a store have plain ids.
func Plain(ctx context.Context, s *mem.Store, c mem.Caller) (n int, err error) {
	below := keypath.MustPrefix(keypath.Notes)
	for rec, err := range s.Reader(c).ScanBelow(ctx, below) {
		if err != nil {
			return 0, err
		}
		if note.IsPlain(rec.Key) {
			n++
		}
	}
	return n, nil
}

// Give replaces the plain ids of the live notes of a layer by ids with letters, in all their
// versions and in the memories that refer to them. A note whose id with letters was purged is
// purged.
func Give(ctx context.Context, s *mem.Store, c mem.Caller) ([]Given, error) {
	versions, stones, err := plainNotes(ctx, s)
	if err != nil || len(versions)+len(stones) == 0 {
		return nil, err
	}
	names, err := Of(versions)
	if err != nil {
		return nil, err
	}
	if err := names.repoint(ctx, s, c); err != nil {
		return nil, err
	}
	op, err := s.Begin(c, policy.Repair)
	if err != nil {
		return nil, err
	}
	var done []Given
	if len(versions) > 0 {
		var more []log.Envelope
		if done, more, err = names.fold(ctx, op, versions); err != nil {
			return nil, err
		}
		stones = append(stones, more...)
	}
	_, err = op.PurgeMarked(ctx, stones)
	return done, err
}

// plainNotes returns the versions of the live notes with plain ids, and the marks of those that got
// letters, whose old versions are still to be purged.
func plainNotes(ctx context.Context, s *mem.Store) (
	versions Versions, stones []log.Envelope, err error) {
	versions = Versions{}
	marks, count := map[keypath.Key]log.Envelope{}, map[keypath.Key]int{}
	err = s.Everything(ctx, func(rec log.Record) error {
		if note.IsPlain(rec.Key) {
			count[rec.Key]++
			if isGiven(rec.Envelope) {
				marks[rec.Key] = rec.Envelope.Clone()
			}
			versions.Add(rec.Envelope)
		}
		return nil
	})
	for key, list := range versions {
		newest := slices.MaxFunc(list, oldestFirst)
		if mark, is := marks[key]; is && newest.TS < mark.TS {
			stones = append(stones, mark)
			delete(versions, key)
		} else if !newest.Valid() {
			delete(versions, key)
		}
	}
	return versions, stones, err
}

func oldestFirst(a, b log.Envelope) int {
	if a.Wins(b) {
		return 1
	}
	return -1
}

// repoint lets the live memories that name notes name their new ids, but for rules.
func (n Names) repoint(ctx context.Context, s *mem.Store, c mem.Caller) error {
	op, err := s.Begin(c, policy.Edit)
	if err != nil {
		return err
	}
	was, writes, err := edit.Repointed(ctx, op, func(rec log.Record) []byte {
		text := n.text(rec.Content)
		if note.IsPlain(rec.Key) || bytes.Equal(text, rec.Content) ||
			op.MayChange(rec) != nil {
			return nil
		}
		return text
	})
	if err != nil || len(writes) == 0 {
		return err
	}
	_, err = op.UpdateAsOne(ctx, func(tx *mem.Tx) error {
		for i, rec := range was {
			now, live, err := tx.Get(ctx, rec.Key)
			if err != nil {
				return err
			}
			if live && now.TS == rec.TS { // else it was changed meanwhile
				if err := tx.Put(writes[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return err
}

// fold stores the versions under their new keys, and a mark under each old one. A note that was
// edited, deleted or purged meanwhile is left to the next call.
func (n Names) fold(ctx context.Context, op *mem.Operation, versions Versions) (
	done []Given, stones []log.Envelope, err error) {
	keys := slices.SortedFunc(maps.Keys(versions), keypath.Key.Compare)
	asked := slices.Clone(keys)
	for _, key := range keys {
		asked = append(asked, n.to[key])
	}
	err = op.MergeChosen(ctx, asked, func(newest map[keypath.Key]log.Record) (
		lines []log.Envelope) {
		done, stones = nil, nil
		for _, key := range keys {
			was := slices.MaxFunc(versions[key], oldestFirst)
			if rec := newest[key]; rec.Identity() != was.Identity() {
				continue
			}
			mark := newest[n.to[key]]
			for _, e := range versions[key] {
				if !content.IsPurgeMark(mark) || !content.Takes(mark.Envelope, e) {
					lines = append(lines, n.Line(e))
				}
			}
			stones = append(stones, stone(was))
			lines = append(lines, stones[len(stones)-1])
			done = append(done, Given{key, n.to[key]})
		}
		return lines
	})
	return done, stones, err
}
