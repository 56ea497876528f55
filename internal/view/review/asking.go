package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
)

// MaxListed is how many lines of a store are listed at once. No more are let in at once.
const MaxListed = 200

// Asking is a store that nobody has let in, or into which others have written since.
type Asking struct {
	Root, Why string
	Lines     []log.Record // what nobody has looked at, deletions too; at most MaxListed
	More      int          // that are not listed
	Seen      string       // a sum over what is listed, for LetIn
	Err       error        // why it cannot be read
	site      *site.Site
}

// Stores returns the stores that ask for trust: each .mem on the way that is not used because
// nobody has let it in, and those of sites that have new lines by other hands.
func Stores(ctx context.Context, l *mem.Layers, c mem.Caller, sites []*site.Site) (list []Asking) {
	for _, s := range l.Sites.Skipped {
		if s.Untrusted {
			a := Asking{Root: s.Root, Why: s.Why, site: l.Sites.At(s.Root)}
			a.read(ctx, l, c)
			list = append(list, a)
		}
	}
	for _, site := range sites {
		if site.Grant == nil {
			continue
		}
		a := Asking{Root: site.Root, Why: "others have written to it since it was let in",
			site: site}
		if a.read(ctx, l, c); len(a.Lines) > 0 || a.Err != nil {
			list = append(list, a)
		}
	}
	return list
}

// read lists what the store says that nobody has looked at.
func (a *Asking) read(ctx context.Context, l *mem.Layers, c mem.Caller) {
	unseen, err := l.Unseen(ctx, c, a.site)
	if err != nil {
		a.Err = err
		return
	}
	gone, err := l.UnseenDeletions(ctx, a.site)
	a.Err, a.Lines = err, append(unseen, gone...)
	a.More = max(0, len(a.Lines)-MaxListed)
	a.Lines = a.Lines[:len(a.Lines)-a.More]
	sum := sha256.New()
	for _, rec := range a.Lines {
		sum.Write(append(rec.Envelope.Line(), '\n'))
	}
	a.Seen = hex.EncodeToString(sum.Sum(nil))
}

// LetIn lets a store in, if it still says what the person was shown: seen is Asking.Seen. The error
// is ErrChanged, wraps mem.ErrNotFound where no such store asks, or is as that of mem.Layers.LetIn.
func LetIn(ctx context.Context, l *mem.Layers, c mem.Caller, sites []*site.Site,
	root, seen string) error {
	for _, a := range Stores(ctx, l, c, sites) {
		switch {
		case a.Root != root:
			continue
		case a.Err != nil:
			return a.Err
		case a.Seen != seen:
			return fmt.Errorf("%s: %w: %w", root, mem.ErrConflict, ErrChanged)
		}
		return l.LetIn(ctx, a.site, a.Lines)
	}
	return fmt.Errorf("%s: it asks for no trust: %w", root, mem.ErrNotFound)
}
