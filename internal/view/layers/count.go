package layers

import (
	"context"
	"errors"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// MaxUnfiled is as far as [Layers.Unfiled], [Layers.StoreBeside] and [Layers.Matches] count.
const MaxUnfiled = 1000

// Unfiled counts the memories of the user's store that belong to no project.
func (l *Layers) Unfiled(ctx context.Context, c mem.Caller) (n int, err error) {
	if l.Sites.User == nil {
		return 0, nil
	}
	return l.count(ctx, c, l.Sites.User, MaxUnfiled, IsUnfiled)
}

// count counts the memories of a store with such keys, as far as most.
func (l *Layers) count(ctx context.Context, c mem.Caller, one *site.Site, most int,
	isWanted func(keypath.Key) bool) (n int, err error) {
	s, err := l.Open(one)
	if err != nil || !s.Exists() {
		return 0, err
	}
	err = s.List(ctx, c, mem.Filter{Trusted: true}, func(rec log.Record) error {
		if isWanted(rec.Key) {
			n++
		}
		if n == most {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return n, err
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// isMovable reports whether a memory can move to another store.
func isMovable(key keypath.Key) bool { return !policy.IsAppendOnly(key.Class()) }

// StoreBeside returns how many memories the repository's store beside the user's has, and its root,
// where a .mem in the repository has taken its place: nothing reads them here.
func (l *Layers) StoreBeside(ctx context.Context, c mem.Caller) (root string, n int, err error) {
	if root = l.Sites.RootBeside(); root == "" {
		return "", 0, nil
	}
	n, err = l.count(ctx, c, &site.Site{Layer: site.Project, Root: root}, MaxUnfiled, isMovable)
	return root, n, err
}

// Match is a store that may be of the repository here, with its memories.
type Match struct {
	site.Match
	Memories int
}

// Matches returns the stores that may be of the repository here, and are not in use
// ([site.Sites.Matches]), but for those that have nothing to bring. It reads the record of every
// repository of this person.
func (l *Layers) Matches(ctx context.Context, c mem.Caller) (list []Match, err error) {
	isEmpty := sync.OnceValue(func() bool {
		own, err := l.HasOwn(ctx, c)
		return !own && err == nil
	})
	matches, err := l.Sites.Matches(isEmpty)
	for _, one := range matches {
		wanted := isMovable
		if one.Own {
			wanted = func(key keypath.Key) bool {
				return isMovable(key) && !l.hasNewer(ctx, c, key)
			}
		}
		n, err := l.count(ctx, c, one.Site, MaxUnfiled, wanted)
		if err == nil && (n > 0 || one.Sure) {
			list = append(list, Match{one, n})
		}
	}
	return list, err
}

// hasNewer reports whether the project's store has a memory of a key that is no note's: a link left
// the older one where it was.
func (l *Layers) hasNewer(ctx context.Context, c mem.Caller, key keypath.Key) bool {
	if _, _, numbered := key.Number(); numbered {
		return false // it would have got another id
	}
	s, err := l.Open(l.Sites.Project)
	if err == nil {
		_, err = s.Get(ctx, c, key, false)
	}
	return err == nil
}

// NearestMatch returns the nearest of [Layers.Matches]. What was found is kept for the day, or
// until a record changes: then one small file is read.
func (l *Layers) NearestMatch(ctx context.Context, c mem.Caller, now log.Stamp) site.Nearest {
	day := dayOf(now)
	nearest, known := l.Sites.Remembered(day)
	if known {
		return nearest
	}
	list, err := l.Matches(ctx, c)
	if err != nil {
		return site.Nearest{} // doctor has an error of it
	}
	nearest.ID, nearest.Fewer = "", false
	if len(list) > 0 {
		own, err := l.count(ctx, c, l.Sites.Project, MaxUnfiled, isMovable)
		nearest.ID, nearest.Fewer = list[0].ID, err == nil && own < list[0].Memories
	}
	l.Sites.Remember(day, nearest)
	return nearest
}

// MatchToShow returns the digits of the nearest store for a start that shows it: once a day, or
// each time while the store in use here is new and has fewer memories; "" for none.
func (l *Layers) MatchToShow(ctx context.Context, c mem.Caller, now log.Stamp) string {
	nearest := l.NearestMatch(ctx, c, now)
	if nearest.ID == "" || nearest.Shown && !nearest.Fewer {
		return ""
	}
	if !nearest.Fewer {
		nearest.Shown = true
		l.Sites.Remember(dayOf(now), nearest)
	}
	return nearest.ID
}

func dayOf(t log.Stamp) string { return t.String()[:len("2006-01-02")] }

// CountMovable returns how many memories a store has that can move to another one.
func (l *Layers) CountMovable(ctx context.Context, c mem.Caller, one *site.Site) (int, error) {
	return l.count(ctx, c, one, MaxUnfiled, isMovable)
}

// HasOwn reports whether the project has memories.
func (l *Layers) HasOwn(ctx context.Context, c mem.Caller) (bool, error) {
	n, err := l.count(ctx, c, l.Sites.Project, 1, isMovable)
	return n > 0, err
}

// IsUnfiled reports whether a memory in the user's store is of no project, and not the user's own.
// Sessions and events may lie there although they are of a project: of one whose store git tracks.
func IsUnfiled(key keypath.Key) bool {
	return !key.Untrusted() &&
		policy.LayerOf(key, func() bool { return true }) == policy.ProjectLayer
}
