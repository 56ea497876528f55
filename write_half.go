package mem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// An update of several stores appends to one after the other, and may be killed in between. Before
// the first append each of them keeps a note (backend.Halves) of the command and its stores, and
// those that append later of what that will be. The next write to any of the stores finds the note
// and goes on. The lines that a store was to append come from its own note alone, so no store
// decides what another holds. They are stored where all lines of the first store are still the
// newest there. Else none was stored, or they were taken back, and the note is dropped: then no
// memory is lost.

// half is the note that a store keeps.
type half struct {
	ID      string   `json:"id"` // of the update
	Op      string   `json:"op"`
	At      string   `json:"at"`
	Agent   string   `json:"agent,omitempty"`
	Command string   `json:"command,omitempty"` // its id
	Undoes  string   `json:"undoes,omitempty"`
	Roots   []string `json:"roots"` // the last one appends first

	Lines []string `json:"lines,omitempty"` // that the store is to append, unless it is the last
	First []seen   `json:"first,omitempty"` // that the last one gets
	Runs  []string `json:"runs,omitempty"`  // of these, as its journal names them
}

// seen is a version of a key.
type seen struct {
	Key string    `json:"key"`
	TS  log.Stamp `json:"ts"`
}

// halves returns the place of a store's note; nil for a store that keeps none.
func (s *Store) halves() backend.Halves {
	h, _ := s.backend.(backend.Halves)
	return h
}

// half returns the store's note, if it has one that can be read.
func (s *Store) half() (h half, found bool, err error) {
	place := s.halves()
	if place == nil {
		return h, false, nil
	}
	text, err := place.Half()
	if err != nil || text == nil {
		return h, false, err
	}
	if err := json.Unmarshal(text, &h); err != nil || len(h.Roots) == 0 {
		return h, false, place.SetHalf(nil) // of another build, or not whole
	}
	return h, true, nil
}

// noteHalf keeps the notes of an update, in the order of its locks. It returns how to drop them.
func noteHalf(txs []*Tx) (drop func(), err error) {
	drop = func() {}
	txs = slices.DeleteFunc(slices.Clone(txs), func(t *Tx) bool { return len(t.written) == 0 })
	if len(txs) < 2 {
		return drop, nil
	}
	last, op := txs[len(txs)-1], txs[0].op
	h := half{ID: backend.NewCommand().ID(), Op: op.verb.String(), At: op.Now().String(),
		Agent: op.caller.Agent, Undoes: op.undoes, Command: op.caller.Command.ID(),
		Runs: journaled([]run{{first: &last.written[0].env,
			last: &last.written[len(last.written)-1].env}})}
	for _, p := range last.written {
		h.First = append(h.First, seen{p.env.Key.String(), p.env.TS})
	}
	for _, t := range txs {
		if t.op.store.halves() == nil {
			return drop, nil
		}
		h.Roots = append(h.Roots, t.op.store.RealPath())
	}
	var kept []backend.Halves
	drop = func() {
		for _, place := range kept {
			_ = place.SetHalf(nil) // else the next write finds that nothing is left to do
		}
	}
	for _, t := range txs {
		own := h
		if t == last {
			own.First, own.Runs = nil, nil
		} else {
			for _, p := range t.written {
				own.Lines = append(own.Lines, string(p.env.Line()))
			}
		}
		text, err := json.Marshal(own)
		if err == nil {
			kept = append(kept, t.op.store.halves())
			err = t.op.store.halves().SetHalf(text)
		}
		if err != nil {
			drop()
			return drop, err
		}
	}
	return drop, nil
}

// GoOn does what a killed update of this store and others has left, unless that was an undo: an
// undo of it goes on by itself.
func (s *Store) GoOn(ctx context.Context, c Caller) {
	if h, found, err := s.half(); err == nil && found && h.Undoes == "" {
		s.goOn(ctx, c)
	}
}

// Finish does what a killed update of this store and others has left, as a write does first: for an
// exchange, which is to send that.
func (s *Store) Finish(ctx context.Context, c Caller) { s.goOn(ctx, c) }

// Unfinished returns the lines that the store is still to append for a killed update of it and
// others: the next write does, unless the other store was written since.
func (s *Store) Unfinished() (list []log.Envelope, err error) {
	h, _, err := s.half()
	for _, line := range h.Lines {
		e, err := log.Decode([]byte(line))
		if err != nil {
			return nil, err
		}
		list = append(list, e.Clone())
	}
	return list, err
}

// goOn does what a killed update of this store and others has left. Where another store is locked,
// or cannot be read, that is for a later write.
func (s *Store) goOn(ctx context.Context, c Caller) {
	h, found, err := s.half()
	if err != nil || !found || s.opts.OpenOther == nil {
		return
	}
	stores, gone := make([]*Store, len(h.Roots)), false
	for i, root := range h.Roots {
		switch stores[i], err = s.other(root); {
		case errors.Is(err, fs.ErrNotExist):
			gone = gone || i == len(stores)-1
		case err != nil:
			return
		}
	}
	first := stores[len(stores)-1]
	for _, late := range stores[:len(stores)-1] {
		if late == nil {
			continue
		}
		if err := late.goOnFrom(ctx, c, h.ID, first); err != nil {
			s.opts.Debug(fmt.Sprintf("%s: %s was killed in between: %s", late.Path(), h.Op, err))
			return
		}
	}
	if !gone {
		first.dropHalf(h.ID)
	}
	s.dropHalf(h.ID)
}

func (s *Store) other(root string) (*Store, error) {
	if root == s.RealPath() {
		return s, nil
	}
	if site.IsRemote(root) { // a note is no reason to connect to anything
		return nil, ErrInput
	}
	other, err := s.opts.OpenOther(root)
	if err == nil && !other.Exists() {
		return nil, fs.ErrNotExist
	}
	return other, err
}

func (s *Store) dropHalf(id string) {
	if h, found, err := s.half(); err == nil && found && h.ID == id {
		_ = s.halves().SetHalf(nil) // the next write drops it
	}
}

// goOnFrom appends what the store's own note of an update says, if the first store has its part.
// While the update runs, its lock is held.
func (s *Store) goOnFrom(ctx context.Context, c Caller, id string, first *Store) error {
	var h half
	var all, done []log.Envelope
	err := s.backend.Update(ctx, c, policy.CatchUp.String(), func(tx backend.Tx) (err error) {
		all, done = nil, nil
		var found bool
		if h, found, err = s.half(); err != nil || !found || h.ID != id || first == nil {
			return err
		}
		if has, err := first.hasAll(ctx, h.First); err != nil || !has {
			return err
		}
		if all, done, err = s.lacking(ctx, tx, h.Lines); err != nil || len(done) == 0 {
			return err
		}
		writes := make([]backend.Write, len(done))
		for i, e := range done {
			writes[i] = backend.Write{Envelope: e, Imported: true}
		}
		_, err = tx.Append(writes...)
		return err
	})
	if err != nil && !isStored(err) {
		return err
	}
	s.dropHalf(id)
	if len(all) > 0 {
		last, end := h.First[len(h.First)-1], all[len(all)-1]
		first.journalHalf(h, last.Key, last.TS, len(h.First), h.Runs)
		s.journalHalf(h, end.Key.String(), end.TS, len(all),
			journaled([]run{{first: &all[0], last: &end}}))
	}
	s.notify(done)
	return nil
}

// lacking returns the envelopes of lines, and of these the ones that are newer than all that the
// store has of their keys.
func (s *Store) lacking(ctx context.Context, tx backend.Tx, lines []string) (
	all, list []log.Envelope, err error) {
	var keys []keypath.Key
	for _, line := range lines {
		e, err := log.Decode([]byte(line))
		if err != nil {
			return nil, nil, err
		}
		all, keys = append(all, e), append(keys, e.Key)
	}
	newest, err := tx.NewestEver(ctx, keys)
	return all, slices.DeleteFunc(slices.Clone(all), func(e log.Envelope) bool {
		old, has := newest[e.Key]
		return has && old.TS >= e.TS
	}), err
}

// hasAll reports whether versions are the newest that the store has ever had of their keys.
func (s *Store) hasAll(ctx context.Context, versions []seen) (bool, error) {
	newest := map[string]log.Stamp{}
	for _, v := range versions {
		newest[v.Key] = log.MinStamp
	}
	err := s.Everything(ctx, func(rec log.Record) error {
		if old, asked := newest[rec.Key.String()]; asked && rec.TS > old {
			newest[rec.Key.String()] = rec.TS
		}
		return nil
	})
	return err == nil && !slices.ContainsFunc(versions,
		func(v seen) bool { return newest[v.Key] != v.TS }), err
}

// journalHalf records a part of a killed update, by its last version, and the other stores, unless
// the journal has them.
func (s *Store) journalHalf(h half, key string, ts log.Stamp, count int, runs []string) {
	list, err := s.Journaled()
	has, names := false, false
	for _, r := range list {
		if r.Command == h.Command {
			has, names = has || r.TS == ts.String(), names || len(r.Also) > 0
		}
	}
	if err != nil || has && names {
		return
	}
	rec := opRecord{At: h.At, Command: h.Command, Undoes: h.Undoes,
		Also: redacted(slices.DeleteFunc(slices.Clone(h.Roots),
			func(root string) bool { return root == s.RealPath() }))}
	if !has {
		rec.Op, rec.Agent, rec.Count, rec.Runs = h.Op, h.Agent, count, runs
		rec.Key, rec.TS = redact(key, key), ts.String()
	}
	s.backend.Journal(backend.OpsFile).Append(rec.line(), opsLimit)
}
