package mem

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Travels reports whether the line of a record is one that copies of a memory on other machines of
// its person have, too. Records that wait for a decision, what agents keep for themselves,
// encrypted records (package seal), and files, whose bytes are no lines, stay on their machine, and
// lines that an earlier mem took from a depot where others write. So do notes whose ids have no
// letters, for another machine may have another note of that id.
func Travels(rec log.Record) bool {
	if content.Claim(rec.Source) == content.FromDepot {
		return false
	}
	if id, isNote := keypath.NoteID(rec.Key); isNote {
		short, _ := keypath.ShortID(rec.Key)
		return short != id
	}
	switch rec.Key.Class() {
	case keypath.Quarantined, keypath.Private, keypath.Artifact:
		return false
	}
	return content.Member(rec.Content, "sealed") == nil ||
		content.Member(rec.Content, "sensitivity") == nil
}

// MergeLines takes in lines that other copies of this memory have had: each as it is and with its
// time, durably and under one lock, those that lose as well. No rule is asked: it was, where the
// line was written. After an error or a killed process some may be stored; a second call brings the
// rest. The error wraps ErrInput for a store that is not in files.
func (op *Operation) MergeLines(ctx context.Context, lines []log.Envelope) error {
	return op.MergeChosen(ctx, nil, func(map[keypath.Key]log.Record) []log.Envelope {
		return lines
	})
}

// MergeChosen is MergeLines for the lines that choose returns within the update, where it gets the
// newest record that each of some keys has ever had.
func (op *Operation) MergeChosen(ctx context.Context, keys []keypath.Key,
	choose func(newest map[keypath.Key]log.Record) []log.Envelope) error {
	merger, err := op.merger()
	if err != nil {
		return err
	}
	var lines []log.Envelope
	err = merger.Merge(ctx, op.caller, op.verb.String(), keys,
		func(newest map[keypath.Key]log.Record) []log.Envelope {
			lines = choose(newest)
			return lines
		})
	if isStored(err) {
		op.store.notify(lines)
	}
	return err
}

// PurgeMarked purges versions older than the marks of purges that came from other copies, with all
// traces on this machine and the proposals to change it, which have no marks of their own: they
// stay on the machine where they were made. The error wraps ErrInput for a store that is not in
// files.
func (op *Operation) PurgeMarked(ctx context.Context, marks []log.Envelope) (
	proof backend.Proof, err error) {
	merger, err := op.merger()
	if err != nil {
		return proof, err
	}
	if len(marks) > 0 {
		op.willPurge(len(marks))
	}
	if op.verb != policy.Repair { // that gives a memory another key, and takes no text away
		if marks, err = op.store.withProposals(ctx, marks); err != nil {
			return proof, err
		}
	}
	plan := purge.MarkedBy(marks...)
	if err := op.store.opts.Beside.learn(ctx, op.store, plan); err != nil {
		return proof, err
	}
	proof, err = merger.EraseMarked(ctx, op.verb.String(), marks)
	if proof.Versions > 0 {
		proof.Remains = append(proof.Remains, op.store.opts.Beside.erase(plan)...)
	}
	return proof, err
}

// withProposals adds to marks one for each proposal that they take: an older one, or one to change
// a version that goes. These marks are in no log, and older than the proposals: so the history
// alone decides then which are live.
func (s *Store) withProposals(ctx context.Context, marks []log.Envelope) ([]log.Envelope, error) {
	reach, until := map[keypath.Key]content.Reach{}, map[keypath.Key]log.Stamp{}
	for _, mark := range marks {
		of := reach[mark.Key]
		of.Add(content.ReachOf(mark))
		reach[mark.Key], until[mark.Key] = of, max(until[mark.Key], mark.TS)
	}
	found, err := s.proposals(ctx, func(about keypath.Key, p log.Record) bool {
		seen, err := log.ParseTime(jsontext.Unquote(content.Member(p.Content, "rule")))
		return p.TS < until[about] ||
			err == nil && reach[about].Takes(log.Envelope{Key: about, TS: seen})
	})
	all := slices.Clip(marks)
	for key, times := range found {
		all = append(all, log.Envelope{Key: key, TS: 1,
			Source: content.WithSeen([]byte("{}"), 0, times)})
	}
	return all, err
}

func (op *Operation) merger() (backend.Merger, error) {
	merger, ok := op.store.backend.(backend.Merger)
	if op.verb != policy.Sync && op.verb != policy.Recover && op.verb != policy.Repair || !ok {
		return nil, fmt.Errorf("%w: only a sync, restore or repair of a memory in files folds in "+
			"lines as they are", ErrInput)
	}
	return merger, nil
}

// Replay stores versions that another store has had, in this order, all of them or none: each as it
// is, and with its time. No rule is asked what may be written: it was, once, and a copy that leaves
// something out is none. Nor has the journal a line before [Operation.Done]. The error wraps
// backend.ErrOlder where a version does not win against what its key has had here.
func (op *Operation) Replay(ctx context.Context, versions []log.Envelope) error {
	if op.verb != policy.Copy {
		return fmt.Errorf("%w: only a copy of a whole store skips the rules", policy.ErrReserved)
	}
	writes := make([]backend.Write, len(versions))
	for i, e := range versions {
		writes[i] = backend.Write{Envelope: e, Imported: true}
	}
	err := op.store.backend.Update(ctx, op.caller, op.verb.String(), func(tx backend.Tx) error {
		_, err := tx.Append(writes...)
		return err
	})
	if isStored(err) {
		op.store.notify(versions)
	}
	return err
}

// GiveConfig makes a text the configuration of a store that has none, and reports whether it did.
// It is not checked: a fault of the original stays a fault here, reported in the same way.
func (op *Operation) GiveConfig(ctx context.Context, text []byte) (given bool, err error) {
	if op.verb != policy.Copy {
		return false, fmt.Errorf("%w: only a copy of a whole store skips the rules",
			policy.ErrReserved)
	}
	file, ok := op.store.backend.(backend.Configurer)
	if !ok {
		return false, fmt.Errorf("%w: this store has no configuration of its own", ErrInput)
	}
	err = file.SetConfig(ctx, op.caller, func(have []byte) ([]byte, error) {
		if given = len(bytes.TrimSpace(have)) == 0; !given {
			return have, nil
		}
		return text, nil
	})
	return given && err == nil, err
}
