package forget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Elsewhere is what a purge finds of its memories in other stores of this person, or under other
// keys: where a move or a link took them from, and where it brought them.
type Elsewhere struct {
	Parts  []Part
	Kept   []string // keys with another memory since, and their stores
	Beyond []string // stores that cannot be looked into
}

// Purge purges the memories that were found elsewhere: before the memory here, which leads to them.
func (e *Elsewhere) Purge(ctx context.Context, c mem.Caller, o mem.PurgeOptions) error {
	for _, p := range e.Parts {
		o.Keys = p.Keys
		if _, err := p.Store.Purge(ctx, c, o); err != nil {
			return err
		}
	}
	return nil
}

// Left returns the error of a purge that leaves some of it; nil for none.
func (e *Elsewhere) Left() error {
	if len(e.Kept) == 0 {
		return nil
	}
	return fmt.Errorf("%w in the history of %s, written again since it was moved away",
		mem.ErrRemains, strings.Join(e.Kept, ", "))
}

// Follow looks for the memories of a purge elsewhere. A store that was named (--root) is alone.
func Follow(ctx context.Context, l *layers.Layers, c mem.Caller, from []Part) (
	e Elsewhere, err error) {
	if l.Sites.Projects == "" || len(from) == 0 {
		return e, nil
	}
	f := follower{gone: map[string]bool{}, moved: map[string]bool{}, lines: map[log.Identity]bool{}}
	for _, p := range from {
		if err := f.learn(ctx, p); err != nil {
			return e, err
		}
	}
	if len(f.gone) == 0 {
		return e, nil
	}
	others, err := l.Sites.OtherStores()
	if err != nil {
		return e, err
	}
	user := &site.Site{Layer: site.User, Root: l.Sites.Home}
	seen := map[string]bool{}
	for _, one := range append(append(l.Sites.List(), others...), user) {
		s, err := l.Open(one)
		if err == nil && seen[s.RealPath()] {
			continue
		}
		p := Part{Site: one, Store: s, Root: one.Root}
		if l.Layered() && slices.Contains(l.Sites.List(), one) {
			p.Layer, p.Root = one.Layer, ""
		}
		if err == nil {
			seen[s.RealPath()] = true
			err = f.find(ctx, c, &p, from, &e)
		}
		if err != nil {
			e.Beyond = append(e.Beyond, fmt.Sprintf("%s: %s", one.Root, mem.Message(err)))
		}
	}
	return e, nil
}

// follower knows the versions that go.
type follower struct {
	gone  map[string]bool // their texts, with the times of their memories
	moved map[string]bool // those of keys that a move took away
	lines map[log.Identity]bool
}

func (f *follower) learn(ctx context.Context, p Part) error {
	goes, texts := keySet(p.Keys), map[keypath.Key][]string{}
	left := map[keypath.Key]bool{}
	err := everything(ctx, p.Store, func(rec log.Record) error {
		switch {
		case !goes[rec.Key]:
		case rec.Valid() && p.Takes != nil && !p.Takes(rec):
		case rec.Valid():
			texts[rec.Key] = append(texts[rec.Key], content.Lasting(rec.Content, rec.TS))
			f.lines[rec.Identity()] = true
		case content.LeftByMove(rec.Source):
			left[rec.Key] = true
		}
		return nil
	})
	for key, list := range texts {
		for _, text := range list {
			f.gone[text] = true
			f.moved[text] = f.moved[text] || left[key]
		}
	}
	return err
}

// everything calls fn with each line of a store, and those that a killed move has left.
func everything(ctx context.Context, s *mem.Store, fn func(log.Record) error) error {
	if err := s.Everything(ctx, fn); err != nil {
		return err
	}
	list, err := s.Unfinished()
	for _, e := range list {
		err = errors.Join(err, fn(log.RecordOf(e)))
	}
	return err
}

// goes reports whether a version of the part's store goes anyway.
func (p *Part) goes(rec log.Record) bool {
	return slices.Contains(p.Keys, rec.Key) && (p.Takes == nil || p.Takes(rec))
}

func keySet(keys []keypath.Key) map[keypath.Key]bool {
	set := map[keypath.Key]bool{}
	for _, key := range keys {
		set[key] = true
	}
	return set
}

// past is what a key of another store had.
type past struct {
	newest log.Record
	moved  bool // a move took it away, or brought it
	same   bool // it has a version of those that go as it is, as a link brings them
}

// find adds what a store has of the memories, under keys that do not go anyway.
func (f *follower) find(ctx context.Context, c mem.Caller, p *Part, from []Part,
	e *Elsewhere) error {
	found, err := f.pasts(ctx, p.Store, from)
	if err != nil || len(found) == 0 {
		return err
	}
	var sel Selection
	for key, was := range found {
		live := was.newest.Valid()
		switch {
		case !was.moved && (!was.same || live):
		case live && !f.gone[content.Lasting(was.newest.Content, was.newest.TS)]:
			e.Kept = append(e.Kept, key.Shown()+" of "+cmp.Or(p.Root, p.Store.Path()))
		default:
			sel.Keys = append(sel.Keys, key)
		}
	}
	if slices.Sort(e.Kept); len(sel.Keys) == 0 {
		return nil
	}
	matches, err := FindEver(ctx, p.Store, c, sel)
	if err != nil {
		return err
	}
	for i := range matches.Matches {
		matches.Matches[i].Layer, matches.Matches[i].Store = p.Layer, p.Root
	}
	p.Found = matches.Matches
	if p.Keys, err = Keys(p.Found); len(p.Keys) > 0 {
		e.Parts = append(e.Parts, *p)
	}
	return err
}

// pasts returns the keys of a store that have had one of the memories, but for those versions that
// go: a mark that came with an exchange may take only some of its key.
func (f *follower) pasts(ctx context.Context, s *mem.Store, from []Part) (
	map[keypath.Key]*past, error) {
	var here []Part
	for _, p := range from {
		if p.Store.RealPath() == s.RealPath() {
			here = append(here, p)
		}
	}
	found := map[keypath.Key]*past{}
	err := s.Everything(ctx, func(rec log.Record) error {
		text := content.Lasting(rec.Content, rec.TS)
		if !rec.Valid() || !f.gone[text] || slices.ContainsFunc(here, func(p Part) bool {
			return p.goes(rec)
		}) {
			return nil
		}
		was := found[rec.Key]
		if was == nil {
			was = &past{}
			found[rec.Key] = was
		}
		was.moved = was.moved || f.moved[text]
		was.same = was.same || f.lines[rec.Identity()]
		return nil
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found, everything(ctx, s, func(rec log.Record) error {
		if was := found[rec.Key]; was != nil {
			was.moved = was.moved || !rec.Valid() && content.LeftByMove(rec.Source)
			if was.newest.Key.IsZero() || rec.Wins(was.newest) {
				was.newest = rec.Clone()
			}
		}
		return nil
	})
}
