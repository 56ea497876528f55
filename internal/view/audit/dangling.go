package audit

import (
	"context"
	"errors"

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

// dangling adds the memories whose successor is gone: reads show neither of the two.
func (p *pass) dangling(ctx context.Context, s *mem.Store, c mem.Caller) error {
	for _, old := range p.pointers {
		gone, err := p.isGone(ctx, s, c, old.by)
		if err != nil {
			return err
		}
		if gone {
			detail := "superseded by " + readout.Flatten(old.by, readout.MaxShort) +
				", which is gone"
			p.add(Dangling, old.key, detail, one("touch", name(old.key), "--current"))
		}
	}
	return nil
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
