package mem

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/log"
)

// Beside is what this machine keeps of a store's records outside of it: the journals of the user's
// store, and in the book of trust the identities of lines.
type Beside struct {
	sites *site.Sites
	one   *site.Site
	lines site.Identities // of the lines to purge
	texts []string        // of the records to purge, folded
}

// NewBeside returns the traces outside the store at one of these sites.
func NewBeside(sites *site.Sites, one *site.Site) *Beside { return &Beside{sites: sites, one: one} }

// learn notes the lines that are to be purged and their texts, while the store has them.
func (b *Beside) learn(ctx context.Context, s *Store, plan *purge.Plan) error {
	if b == nil {
		return nil
	}
	return s.Everything(ctx, func(rec log.Record) error {
		if !slices.Contains(plan.Keys, rec.Key) {
			return nil
		}
		if b.one.Grant != nil {
			b.lines.Add(rec.Envelope)
		}
		if text := content.FoldText(content.Parse(rec.Content).Text); text != "" {
			b.texts = append(b.texts, text)
		}
		return nil
	})
}

// minQuoted is the length in bytes of the shortest text that is looked for within others.
const minQuoted = 4

// inbox takes out of the inbox what quotes a purged text.
func (b *Beside) inbox() (remains []string) {
	if len(b.texts) == 0 {
		return nil
	}
	box := inbox.In(b.sites.Book.Dir(), nil)
	_, err := box.Scrub(func(text string) bool {
		folded := content.FoldText(text)
		return slices.ContainsFunc(b.texts, func(gone string) bool {
			return folded == gone || len(gone) >= minQuoted && strings.Contains(folded, gone)
		})
	})
	if err == nil {
		_, err = box.Unmark(b.texts...)
	}
	if err != nil {
		remains = append(remains, filepath.Join(b.sites.Book.Dir(), "inbox"))
	}
	return remains
}

// erase removes purged values from all of it, and returns the files that still hold one.
func (b *Beside) erase(plan *purge.Plan) (remains []string) {
	if b == nil {
		return nil
	}
	if b.one.Grant != nil && b.sites.Book.Unlearn(*b.one.Grant, &b.lines) != nil {
		remains = append(remains, filepath.Join(b.sites.Book.Dir(), "lines", b.one.Grant.ID))
	}
	return slices.Concat(remains, b.journals(plan), b.inbox())
}

// journals takes the keys out of the journals of the user's store.
func (b *Beside) journals(plan *purge.Plan) (remains []string) {
	home, project := b.sites.Home, b.sites.RecordedAs(b.one)
	if home == "" || project == "" || b.one.Root == home {
		return nil
	}
	dir, err := disk.Open(home)
	if err != nil {
		if disk.IgnoreNotExist(err) != nil {
			remains = append(remains, home)
		}
		return remains
	}
	defer dir.Close()
	for _, name := range []string{backend.InjectionsFile, backend.OpsFile} {
		if gone, err := plan.RemoveFromJournal(dir, name, project); !gone || err != nil {
			remains = append(remains, dir.Join(name))
		}
	}
	return remains
}
