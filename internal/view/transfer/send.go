package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Give passes memories to a server, a line of a log each, and returns what became of them there. It
// hears whether some would be rules there if a person brought them.
type Give func(ctx context.Context, lines []byte, hasRules bool) (MoveReport, error)

// The most that goes in one request: an answer names each key twice.
const sentAtOnce, sentBytes = 200, 4 << 20

// Send is [Move] to a memory behind a server, of which j has no store: [Receive] is its other half.
// A memory that the server has not stored live stays in From, and so does a rule that waits there.
// They go in groups; where one fails, those before it were moved. Killed in between, From still has
// what the server has, and the next Send takes that out.
func Send(ctx context.Context, c mem.Caller, j MoveJob, give Give) (MoveReport, error) {
	r := &moving{MoveJob: j, ctx: ctx, caller: c, rep: newReport()}
	found, err := r.find()
	if err != nil || len(found) == 0 {
		return r.rep, err
	}
	found = r.withoutPersonal(found)
	if j.DryRun {
		for _, rec := range found {
			r.rep.Moved = append(r.rep.Moved, Moved{rec.Key, rec.Key})
		}
		return r.rep, nil
	}
	if r.out, err = j.From.Begin(c, policy.Move); err != nil {
		return r.rep, err
	}
	if err := r.mayTake(found); err != nil {
		return r.rep, err
	}
	r.claims = j.From.Reader(c).Claims()
	for len(found) > 0 && err == nil {
		n := groupOf(found)
		err = r.send(found[:n], give)
		found = found[n:]
	}
	return r.rep, err
}

func newReport() MoveReport {
	return MoveReport{Moved: []Moved{}, Kept: []Kept{}, Missing: []keypath.Key{}}
}

// withoutPersonal returns the records that a team may have, notes about the user as the
// workspace's.
func (r *moving) withoutPersonal(found []log.Record) (list []log.Record) {
	for _, rec := range found {
		if err := policy.CheckTeam(rec.Key); err != nil && !isUsers(rec.Key) {
			r.keep(rec, err.Error())
			continue
		}
		list = append(list, rec)
	}
	return list
}

func groupOf(found []log.Record) (n int) {
	size := 0
	for n < min(len(found), sentAtOnce) && (n == 0 || size < sentBytes) {
		size += len(found[n].Content) + len(found[n].Source)
		n++
	}
	return n
}

func (r *moving) send(group []log.Record, give Give) error {
	var lines []byte
	hasRules, byKey := false, map[keypath.Key]log.Record{}
	for _, rec := range group {
		byKey[rec.Key] = rec
		if origin := r.claims(rec); origin != "" {
			rec.Source = content.WithClaim(rec.Source, origin)
		}
		hasRules = hasRules || wouldRule(rec.Envelope)
		lines = append(rec.Envelope.AppendLine(lines), '\n')
	}
	there, err := give(r.ctx, lines, hasRules)
	if err != nil {
		return err
	}
	r.rep.Kept, r.rep.Waits = append(r.rep.Kept, there.Kept...), append(r.rep.Waits, there.Waits...)
	r.done = nil
	var moved []Moved
	for _, m := range there.Moved {
		if rec, ok := byKey[m.From]; ok { // a server may say anything
			moved, r.done = append(moved, m), append(r.done, rec)
			delete(byKey, m.From)
		}
	}
	if len(r.done) == 0 {
		return nil
	}
	_, err = r.out.Update(r.ctx, r.delete)
	if err != nil && !errors.Is(err, backend.ErrStored) {
		return &backend.UnfinishedError{Done: "they are stored at the server",
			Rest: "the same command deletes them here", Err: err}
	}
	r.rep.Moved = append(r.rep.Moved, moved...)
	return err
}

// wouldRule reports whether a record would be a rule if a person brought it.
func wouldRule(e log.Envelope) bool {
	it := mem.ItemOf(log.Record{Envelope: e})
	return e.Valid() && policy.ClaimsRule(&it) && content.Claim(e.Source) == ""
}

// readSent returns the records of the lines that Send has sent. The error wraps mem.ErrInput.
func readSent(text []byte) (found []log.Record, err error) {
	has := map[keypath.Key]bool{}
	for line := range bytes.Lines(text) {
		e, err := log.Decode(bytes.TrimSuffix(line, []byte("\n")))
		switch {
		case err != nil:
			err = fmt.Errorf("%w: %w", mem.ErrInput, err)
		case !e.Valid() || has[e.Key] || policy.IsAppendOnly(e.Key.Class()):
			err = fmt.Errorf("%w: no move sends such a line", mem.ErrInput)
		}
		if err != nil {
			return nil, &mem.LineError{Line: len(found) + 1, Err: err}
		}
		has[e.Key] = true
		found = append(found, log.Record{Envelope: e.Clone()})
	}
	return found, nil
}
