package daily

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// findEver is find for a key that may be deleted: unless the project shows it, it is where it was
// written or deleted last.
func findEver(a *app.App, cmd *cobra.Command, l *layers.Layers, arg string) (app.Held, error) {
	h, err := a.Find(cmd, l, arg)
	if err != nil {
		return h, err
	}
	sites, as := l.Sites.List(), policy.Reader(a.Caller, policy.VerbNamed(cmd.Name()), h.Key)
	_, err = h.Store.Get(cmd.Context(), as, h.Key, true)
	if err == nil && h.Site == sites[0] {
		return h, nil
	}
	latest := log.Stamp(-1)
	for _, site := range sites {
		s, err := l.Open(site)
		if err != nil {
			return h, err
		}
		switch at, had, err := changedAt(cmd, s, as, h.Key); {
		case err != nil:
			return h, err
		case had && at > latest:
			latest, h.Site, h.Store = at, site, s
		}
	}
	return h, nil
}

// changedAt returns when a key was last written in a store, or deleted; 0 where it was deleted
// because it is elsewhere, or is to be nowhere.
func changedAt(cmd *cobra.Command, s *mem.Store, c mem.Caller, key keypath.Key) (
	at log.Stamp, had bool, err error) {
	versions, err := s.History(cmd.Context(), c, key)
	if errors.Is(err, mem.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	for v, err := range versions.Rows {
		if err == nil && (v.Valid() ||
			!content.MarksPurge(v.Source) && !content.LeftByMove(v.Source)) {
			at = v.TS
		}
		return at, true, err // the end of the loop closes the files
	}
	return 0, false, nil
}
