package mem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
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

// turn returns the place of a write in the order of all writes of this person.
func (b *Beside) turn(at log.Stamp) log.Stamp {
	if b == nil {
		return at
	}
	return b.sites.Turn(at)
}

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

// PurgeOptions select the keys of a purge, and give its reason.
type PurgeOptions struct {
	Keys   []keypath.Key
	Reason string // kept in the tombstones; "": none
	// ForgetKeys leaves no tombstone: not even the keys are kept, and an old copy of the store can
	// bring them back.
	ForgetKeys bool
}

// Purge deletes keys and takes every version of them out of the history for good, with all copies
// and traces, and looks whether anything is left. Writes wait meanwhile, and reads go on. The
// proof's Horizon is 0 where nothing was ever stored. The error wraps ErrInput for a reason that
// contains a forgotten text, and ErrRemains where the proof failed.
func (s *Store) Purge(ctx context.Context, c Caller, o PurgeOptions) (
	proof backend.Proof, err error) {
	eraser, ok := s.backend.(backend.Eraser)
	if !ok {
		return proof, fmt.Errorf("%w: this store cannot purge", ErrInput)
	}
	op, err := s.Begin(c, policy.Purge)
	if err != nil {
		return proof, err
	}
	s.goOn(ctx, c)
	if place := s.halves(); place != nil { // what cannot go on now has text that may be purged
		if err := place.SetHalf(nil); err != nil {
			return proof, err
		}
	}
	op.exempt |= policy.Purging
	defer func() { op.exempt &^= policy.Purging }()
	e, err := s.erasure(ctx, op, o)
	if err != nil {
		return proof, err
	}
	// The reason is stored as that of a deletion is.
	for _, key := range o.Keys[:min(len(o.Keys), 1)] {
		source := op.Source("user", "mem forget", "reason", o.Reason)
		if _, err := op.Tombstone(ctx, key, "user", source); err != nil {
			return proof, err
		}
	}
	plan := e.Plan()
	if err := s.opts.Beside.learn(ctx, s, plan); err != nil {
		return proof, err
	}
	proof, err = eraser.Erase(ctx, c, e)
	if proof.Versions > 0 {
		proof.Remains = append(proof.Remains, s.opts.Beside.erase(plan)...)
	}
	if errors.Is(err, backend.ErrReason) {
		err = fmt.Errorf("reason: %w: %w", ErrInput, err)
	}
	// The proof omits places whose keys the caller may not see.
	proof.Others = slices.DeleteFunc(proof.Others, func(at purge.Occurrence) bool {
		key, err := keypath.Parse(at.Key)
		return err == nil && !policy.Permits(c, key)
	})
	if err == nil && len(proof.Remains) > 0 {
		err = fmt.Errorf("%w in %s", ErrRemains, join(proof.Remains))
	}
	op.Done(proof.Versions, err)
	if proof.Versions > 0 {
		if fn := s.opts.OnStored; fn != nil && !e.Forget {
			fn(proof.Stones)
		}
	}
	return proof, err
}

// erasure returns what a purge erases: with the keys the proposals to change them.
func (s *Store) erasure(ctx context.Context, op *Operation, o PurgeOptions) (
	backend.Erasure, error) {
	goes := log.Want(o.Keys...)
	asked, err := s.proposals(ctx, func(about keypath.Key, _ log.Record) bool {
		return goes.Has(about)
	})
	return backend.Erasure{Keys: append(slices.Clip(o.Keys), slices.Collect(maps.Keys(asked))...),
		Reason: o.Reason, Forget: o.ForgetKeys, Limit: op.Now() + maxSeen,
		Source: content.WithWriter(purgeSource(op.Now(), o.Reason), op.caller.Member)}, err
}

// proposals returns the proposals to change keys of which a purge takes those, also decided ones,
// with the times of their versions: they have texts that the keys themselves never had.
func (s *Store) proposals(ctx context.Context,
	takes func(about keypath.Key, proposal log.Record) bool) (
	found map[keypath.Key][]log.Stamp, err error) {
	found = map[keypath.Key][]log.Stamp{}
	return found, s.Everything(ctx, func(rec log.Record) error {
		if !policy.IsProposal(rec.Key) {
			return nil
		}
		_, known := found[rec.Key]
		about, err := keypath.Parse(jsontext.Unquote(content.Member(rec.Content, "key")))
		if known || err == nil && takes(about, rec) {
			found[rec.Key] = append(found[rec.Key], rec.TS)
		}
		return nil
	})
}

// maxSeen is how far ahead of the clock what a purge has seen may be: no more was written by a
// clock that is right, and other copies purge no further for it.
const maxSeen = log.Stamp(24 * time.Hour / time.Microsecond)

// purgeSource returns the source of a tombstone that marks a purge.
func purgeSource(now log.Stamp, reason string) []byte {
	var o jsontext.Object
	o.Text("kind", "user")
	o.Text("name", "mem forget")
	o.Text("retrieved_at", now.String())
	o.TextUnlessEmpty("reason", reason)
	o.Raw("purged", []byte("true"))
	return o.Bytes()
}

// join names a few files.
func join(files []string) string {
	const most = 3
	text := strings.Join(files[:min(len(files), most)], ", ")
	if more := len(files) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", text, more)
	}
	return text
}
