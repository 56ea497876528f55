package layers

import (
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// MaxUnfiled is as far as [Layers.Unfiled], [Layers.StoreBeside] and [Layers.Former] count.
const MaxUnfiled = 1000

// Unfiled counts the memories of the user's store that belong to no project: inside of one no hook
// injects them.
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

// FormerStore is a store that was the project's while the repository was in another place.
type FormerStore struct {
	*site.Site
	Memories int
}

// Former returns the stores that hold memories of the repository here from a place where it is no
// more ([site.Sites.Former]). It reads the record of every repository of this person.
func (l *Layers) Former(ctx context.Context, c mem.Caller) (list []FormerStore, err error) {
	sites, err := l.Sites.Former()
	for _, one := range sites {
		n, err := l.count(ctx, c, one, MaxUnfiled, isMovable)
		if err == nil && n > 0 {
			list = append(list, FormerStore{one, n})
		}
	}
	return list, err
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
