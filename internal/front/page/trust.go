package page

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
)

// maxUnseen is how many lines of a store are listed at once. No more are let in at once.
const maxUnseen = 200

// asking is a store that nobody has let in, or into which others have written since.
type asking struct {
	Root, Why string
	Lines     []log.Record // what nobody has looked at, deletions too; at most maxUnseen
	More      int          // that are not listed
	Seen      string       // a sum over the listed lines, for letInShown
	Err       error        // why it cannot be read
	site      *site.Site
}

// storesAsking returns the stores that ask for trust: each .mem on the way that is not used because
// nobody has let it in, and those of sites that have new lines by other hands.
func storesAsking(ctx context.Context, l *layers.Layers, c mem.Caller,
	sites []*site.Site) (list []asking) {
	for _, s := range l.Sites.Skipped {
		if s.Untrusted {
			a := asking{Root: s.Root, Why: s.Why, site: l.Sites.SiteAt(s.Root)}
			a.read(ctx, l, c)
			list = append(list, a)
		}
	}
	for _, site := range sites {
		if site.Grant == nil {
			continue
		}
		a := asking{Root: site.Root, site: site,
			Why: "other people or machines have written to it since you trusted it"}
		if a.read(ctx, l, c); len(a.Lines) > 0 || a.Err != nil {
			list = append(list, a)
		}
	}
	return list
}

// read lists what the store says that nobody has looked at.
func (a *asking) read(ctx context.Context, l *layers.Layers, c mem.Caller) {
	unseen, err := l.Unseen(ctx, c, a.site)
	if err != nil {
		a.Err = err
		return
	}
	slices.SortFunc(unseen, layers.CompareWeight)
	gone, err := l.UnseenDeletions(ctx, a.site)
	a.Err, a.Lines = err, append(unseen, gone...)
	a.More = max(0, len(a.Lines)-maxUnseen)
	a.Lines = a.Lines[:len(a.Lines)-a.More]
	sum := sha256.New()
	for _, rec := range a.Lines {
		sum.Write(append(rec.Envelope.Line(), '\n'))
	}
	a.Seen = hex.EncodeToString(sum.Sum(nil))
}

// letInShown lets a store in, if it still says what the person was shown: seen is asking.Seen. The
// error wraps mem.ErrUnseen, mem.ErrNotFound where no such store asks, or is as that of
// layers.Layers.LetIn.
func letInShown(ctx context.Context, l *layers.Layers, c mem.Caller, sites []*site.Site,
	root, seen string) error {
	for _, a := range storesAsking(ctx, l, c, sites) {
		switch {
		case a.Root != root:
			continue
		case a.Err != nil:
			return a.Err
		case a.Seen != seen:
			return fmt.Errorf("%s: %w", root, mem.ErrUnseen)
		}
		return l.LetIn(ctx, c, a.site, a.Lines)
	}
	return fmt.Errorf("%s: it asks for no trust: %w", root, mem.ErrNotFound)
}
