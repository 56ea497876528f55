package mem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

type (
	// CompactOptions are the options of a compaction.
	CompactOptions = backend.CompactOptions
	// CompactReport is what a compaction did or, in a dry run, would do.
	CompactReport = backend.CompactReport
	// FsckOptions say how findings are repaired.
	FsckOptions = backend.CheckOptions
	// FsckReport has the findings, and those that remain after a repair.
	FsckReport = backend.CheckReport
	// Loss is what a history has lost with an archive that no backup has.
	Loss = backend.Loss
)

// Compact folds the log into state.jsonl and moves a long log away to archive/.
// Readers and writers go on meanwhile. A store on a server folds this machine's copy of it.
func (s *Store) Compact(ctx context.Context, c Caller, o CompactOptions) (
	rep CompactReport, err error) {
	u, ok := s.backend.(backend.Upkeep)
	if !ok {
		return CompactReport{Why: "there is no store yet"}, nil
	}
	conf, err := s.Config(ctx)
	if err != nil {
		return rep, err
	}
	op := s.newOperation(c, policy.Compact)
	c.Now, o.Limits = s.opts.stamp(c), conf.Rotate
	rep, err = u.Compact(ctx, c, o)
	if !o.DryRun {
		newest := readRecord{rep.Newest.Key.String(), rep.Newest.TS, rep.Newest.Source,
			!rep.Newest.Valid()}
		op.read(rep.Keys, newest, err)
	}
	return rep, err
}

// CatchUp makes index and watermark follow the log, as the next write would.
func (s *Store) CatchUp(ctx context.Context, c Caller) error {
	if !s.Exists() {
		return nil
	}
	return s.backend.Update(ctx, c, policy.CatchUp.String(), func(backend.Tx) error { return nil })
}

// Fsck checks the invariants of the store; see fsck.Checks. Without options it changes nothing. It
// checks without the lock first, and then checks with it what seems wrong, so writers can continue
// and are never mistaken for damage.
func (s *Store) Fsck(ctx context.Context, c Caller, o FsckOptions) (rep FsckReport, err error) {
	if u, ok := s.backend.(backend.Upkeep); ok {
		op, failed := s.Begin(c, checkVerb(o))
		if failed != nil {
			return rep, failed
		}
		if o.AcceptLoss != "" && s.rooted() == nil {
			return rep, fmt.Errorf("%s: %w: this store keeps no files", o.AcceptLoss,
				fsck.ErrNoLoss)
		}
		c.Now = s.opts.stamp(c)
		o.Take = func(e backend.Edit) (bool, error) { return op.take(ctx, e) }
		rep, err = u.Check(ctx, c, o)
		op.Done(len(rep.Found), err)
	}
	rep.Found, rep.Left = mask(rep.Found), mask(rep.Left)
	rep.Adopted = append([]string{}, rep.Adopted...)
	return rep, err
}

func checkVerb(o FsckOptions) policy.Verb {
	switch {
	case o.AcceptLoss != "":
		return policy.GiveUp
	case o.Adopt: // which asks more of its caller than the others do
		return policy.Adopt
	case o.TrustClock:
		return policy.Redate
	case o.Repair:
		return policy.Repair
	}
	return policy.Fsck
}

// mask returns findings without the secrets that they quote from damaged lines.
func mask(found []backend.Finding) []backend.Finding {
	masked := append([]backend.Finding{}, found...)
	for i := range masked {
		masked[i].Detail = MaskSecrets(masked[i].Detail)
	}
	return masked
}

// take stores a hand edit as a write whose source is a user with an editor, and reports
// whether it did: an edit that the rules refuse gets a warning.
func (op *Operation) take(ctx context.Context, e backend.Edit) (bool, error) {
	source := op.Source("user", "editor", "file", e.File)
	p, err := op.Check(ctx, Write{Key: e.Key, Content: e.Content, Source: source}, false)
	if err != nil && !disk.Failed(err) {
		op.store.opts.Warn(fmt.Sprintf("%s: cannot be adopted: %s", e.File, err))
		return false, nil
	}
	if err == nil {
		_, err = op.update(ctx, func(t *Tx) error { return t.Put(p) })
	}
	return err == nil, err
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
	proof, err = op.purge(ctx, eraser, o)
	op.Done(proof.Versions, err)
	if proof.Versions > 0 && !o.ForgetKeys {
		s.notify(proof.Stones)
	}
	return proof, err
}

// purge is [Store.Purge] without its line in the journal.
func (op *Operation) purge(ctx context.Context, eraser backend.Eraser, o PurgeOptions) (
	proof backend.Proof, err error) {
	s := op.store
	s.goOn(ctx, op.caller)
	if place := s.halves(); place != nil { // what cannot go on now has text that may be purged
		if err := place.SetHalf(nil); err != nil {
			return proof, err
		}
	}
	op.exempt |= policy.Purging
	e, err := s.erasure(ctx, op, o)
	if err != nil {
		return proof, err
	}
	if err := op.checkReason(ctx, o); err != nil {
		return proof, err
	}
	plan := e.Plan()
	if err := s.opts.Beside.learn(ctx, s, plan); err != nil {
		return proof, err
	}
	proof, err = eraser.Erase(ctx, op.caller, e)
	if proof.Versions > 0 {
		proof.Remains = append(proof.Remains, s.opts.Beside.erase(plan)...)
	}
	if errors.Is(err, backend.ErrReason) {
		err = fmt.Errorf("reason: %w: %w", ErrInput, err)
	}
	// The proof omits places whose keys the caller may not see.
	proof.Others = slices.DeleteFunc(proof.Others, func(at purge.Occurrence) bool {
		key, err := keypath.Parse(at.Key)
		return err == nil && !policy.Permits(op.caller, key)
	})
	if err == nil && len(proof.Remains) > 0 {
		err = fmt.Errorf("%w in %s", ErrRemains, join(proof.Remains))
	}
	return proof, err
}

// checkReason refuses a reason that no tombstone of the keys could have, as one with a secret.
func (op *Operation) checkReason(ctx context.Context, o PurgeOptions) error {
	if len(o.Keys) == 0 {
		return nil
	}
	_, err := op.Tombstone(ctx, o.Keys[0], "user",
		op.Source("user", "mem forget", "reason", o.Reason))
	return err
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
const maxSeen = log.Day

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
