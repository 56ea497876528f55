package mem

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"strings"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Everything calls fn for every envelope ever written, by whom and for whom ever, archives first,
// each in the order of its file. A line that is in two files, as after a crash in a rotation, comes
// twice.
func (s *Store) Everything(ctx context.Context, fn func(log.Record) error) error {
	for rec, err := range s.backend.History(ctx) {
		var d *log.Damage
		switch {
		case errors.As(err, &d):
			// A torn tail is a writer at work, or is repaired by the next one.
			if !errors.Is(err, log.ErrTorn) {
				s.opts.warnDamaged([]*log.Damage{d})
			}
			continue
		case err != nil:
			return err
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// Versions are the versions of a key.
type Versions = backend.Versions

// History returns every version of a key, newest first. The error is a *NotFoundError where there
// never was one, or the key is another agent's; else the caller ranges over the rows, which are
// read one by one.
func (s *Store) History(ctx context.Context, c Caller, key keypath.Key) (Versions, error) {
	if !policy.Permits(c, key) {
		return Versions{}, &NotFoundError{Key: key}
	}
	v, err := s.backend.Versions(ctx, key)
	if err != nil {
		return v, err
	}
	s.opts.warnDamaged(v.Damaged)
	if v.Count == 0 {
		return v, &NotFoundError{Key: key}
	}
	return v, nil
}

// HistoryBelow yields every envelope of keys below a prefix that was ever written, as
// [Store.Everything] does; a line that cannot be read comes as a *log.Damage, whatever key it
// shows. Another error is the last.
func (s *Store) HistoryBelow(ctx context.Context, below keypath.Prefix) iter.Seq2[
	log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range s.backend.History(ctx) {
			if err == nil && !below.Holds(rec.Key) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// Ran is a line of the journal: an operation of this store that ended.
type Ran struct {
	Op   string // its name, as in Store.Begin
	TS   string // of the newest envelope that it wrote, or read; "" for none
	Code Kind   // of its failure; KindDone for none, "" for one that has none in the journal

	At, Key string   // when it ended, and the key of that envelope
	Turn    string   // At, or a later time where the clock went back: the order over several stores
	Count   int      // records that it touched, if it counts them
	Runs    []string // what it stored, if that is several lines; see Store.EachStored

	Command string   // id of the command that it was part of; "" for none
	Also    []string // roots of the other stores of the command
	Undoes  string   // id of the command that it took back
	Agent   string   // that ran it; "" for a person, or nobody in particular
	Member  string   // of a team, whose token called; "" for none
}

// Journaled returns what ran, oldest first, as far back as the journal goes: it keeps the newest
// 512 KiB to 1 MiB. A line without Op says only that its command has written to another store, too.
// Lines that cannot be read are left out. The error is the file system's.
func (s *Store) Journaled() (list []Ran, err error) {
	text, err := s.Journal(backend.OpsFile).Read(opsLimit)
	for line := range bytes.Lines(text) {
		if r, ok := ranOf(line); ok {
			list = append(list, r)
		}
	}
	return list, err
}

// ranOf returns what a line of the journal says, if it is one.
func ranOf(line []byte) (r Ran, ok bool) {
	var x struct {
		Op, TS, Code, Error, Key string
		At, Turn                 string
		Count                    int
		Runs, Also               []string
		Command, Undoes, Agent   string
		Member                   string
	}
	if json.Unmarshal(line, &x) != nil || x.Op == "" && x.Command == "" {
		return r, false
	}
	r = Ran{Op: x.Op, TS: x.TS, Code: Kind(x.Code), At: x.At,
		Turn: cmp.Or(x.Turn, x.At), Key: x.Key, Count: x.Count, Runs: x.Runs,
		Command: x.Command, Also: x.Also, Undoes: x.Undoes, Agent: x.Agent,
		Member: x.Member}
	if x.Error == "" {
		r.Code = KindDone
	}
	return r, true
}

// EachStored calls fn for every line that operations stored. The error wraps ErrCut where some of
// the lines are gone.
func (s *Store) EachStored(ctx context.Context, list []Ran, fn func(log.Record) error) error {
	ends, single, until := map[string]string{}, map[string]log.Record{}, ""
	for _, r := range list {
		if len(r.Runs) == 0 {
			single[r.Key+" "+r.TS] = log.Record{}
		}
		for _, text := range r.Runs {
			first, last, _ := strings.Cut(text, "-")
			ends[first] = last
		}
	}
	left := maps.Clone(ends)
	err := s.Everything(ctx, func(rec log.Record) error {
		id, sum := rec.Key.String()+" "+rec.TS.String(), ""
		if _, wanted := single[id]; wanted {
			single[id] = rec.Clone() // of two with one time the later line
		}
		if len(ends) > 0 {
			sum = shortSum(rec.Line)
		}
		if last, begins := ends[sum]; begins && until == "" {
			until = last
			delete(left, sum)
		}
		if until == "" {
			return nil
		}
		if sum == until {
			until = ""
		}
		return fn(rec)
	})
	if err == nil && len(left)+len(until) > 0 {
		err = ErrCut
	}
	for _, r := range list {
		id := r.Key + " " + r.TS
		rec, wanted := single[id]
		switch {
		case err != nil || !wanted:
		case rec.Key.IsZero():
			err = ErrCut
		default:
			err = fn(rec)
		}
		delete(single, id)
	}
	return err
}
