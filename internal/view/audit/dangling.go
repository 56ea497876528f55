package audit

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// pointer is a memory that another has superseded, and what it calls that one.
type pointer struct {
	key keypath.Key
	by  string
}

// dangling adds the memories whose successor is gone, one of those that supersede each other, and
// the sessions that are gone while they have records.
func (p *pass) dangling(ctx context.Context, s *mem.Store, c mem.Caller) error {
	p.circles()
	for _, old := range p.pointers {
		gone, err := p.isGone(ctx, s, c, old.by)
		if err != nil {
			return err
		}
		if gone {
			p.addDangling(old, "gone")
		}
	}
	return p.orphans(ctx, s, c)
}

// orphans adds the sessions that are gone, and have records: another machine deleted one, and this
// one wrote to it before it heard of that.
func (p *pass) orphans(ctx context.Context, s *mem.Store, c mem.Caller) error {
	for _, at := range slices.Sorted(maps.Keys(p.sessions)) {
		gone, err := p.isGone(ctx, s, c, at)
		if err != nil {
			return err
		}
		if gone {
			p.add(Dangling, keypath.MustParse(at), "records of a session that is gone",
				one("forget", "--session", path.Base(at)))
		}
	}
	return nil
}

func (p *pass) addDangling(old pointer, why string) {
	detail := "superseded by " + readout.Flatten(old.by, readout.MaxShort) + ", which is " + why
	p.add(Dangling, old.key, detail, one("touch", name(old.key), "--current"))
}

// circles adds a memory of each circle of successors. Two machines make one, where each supersedes
// one of two memories by the other, before they exchange.
func (p *pass) circles() {
	next, said := map[string]string{}, map[string]bool{}
	for _, old := range p.pointers {
		next[old.key.String()] = old.by
	}
	for _, old := range p.pointers {
		start := old.key.String()
		at := old.by
		for range p.pointers {
			if at == start || said[at] || next[at] == "" {
				break
			}
			at = next[at]
		}
		if at != start || said[start] {
			continue
		}
		for ; !said[at]; at = next[at] {
			said[at] = true
		}
		p.addDangling(old, "superseded by it in turn")
	}
}

// isGone reports whether a successor is nowhere. What another agent keeps is not asked for.
func (p *pass) isGone(ctx context.Context, s *mem.Store, c mem.Caller, by string) (bool, error) {
	key, err := keypath.Parse(by)
	if err != nil {
		return true, nil
	}
	if !policy.Permits(c, key) {
		return false, nil
	}
	for _, s := range append([]*mem.Store{s}, p.options.Others...) {
		_, err := s.Get(ctx, c, key, false)
		if !errors.Is(err, mem.ErrNotFound) {
			return false, err
		}
	}
	return true, nil
}
