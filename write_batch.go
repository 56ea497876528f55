package mem

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A batch is appended in groups of this size, each under one lock and with one fsync, so that other
// writers get the lock between them.
const (
	groupLines = 10_000
	groupBytes = 4 << 20
)

// BatchOptions are the options of a batch.
type BatchOptions struct {
	Source     []byte // for lines that name none; nil: they are bad
	Quarantine bool   // as in SetOptions
	KeepGoing  bool   // write the good lines although others are bad
	Resume     bool   // leave out lines whose key holds their content and source already
	Force      bool   // as in SetOptions

	AllowSecrets []string // as in SetOptions, for every line
}

// ReadLines checks all lines of a batch, whose keys go below a prefix.
func (op *Operation) ReadLines(ctx context.Context, r io.Reader, o BatchOptions,
	prefix keypath.Prefix) (writes []Checked, bad []*LineError, err error) {
	err = EachLine(r, func(n int, line []byte, err error) {
		var p Checked
		if err == nil {
			p, err = op.checkLine(ctx, line, o, prefix)
		}
		if err != nil {
			bad = append(bad, &LineError{Line: n, Err: err})
			return
		}
		writes = append(writes, p)
	})
	return writes, bad, err
}

func (op *Operation) checkLine(ctx context.Context, line []byte, o BatchOptions,
	prefix keypath.Prefix) (p Checked, err error) {
	w, sourced, err := parseLine(line, o.Source)
	if err != nil {
		return p, err
	}
	return op.checkParsed(ctx, w, sourced, o, prefix)
}

func (op *Operation) checkParsed(ctx context.Context, w Write, sourced bool, o BatchOptions,
	prefix keypath.Prefix) (p Checked, err error) {
	if p, err = op.CheckBelow(ctx, prefix, w, o.Quarantine); err != nil {
		return p, err
	}
	if p.sourced = sourced; o.Resume {
		p.when = whenNew
	}
	return p, op.checkChange(ctx, p)
}

// CheckBelow is [Operation.Check] for a write whose key goes below a prefix.
func (op *Operation) CheckBelow(ctx context.Context, prefix keypath.Prefix, w Write,
	quarantine bool) (p Checked, err error) {
	if prefix != (keypath.Prefix{}) {
		if w.Key, err = w.Key.WithPrefix(prefix.String()); err != nil {
			return p, err
		}
	}
	return op.Check(ctx, w, quarantine)
}

// PutAll stores checked writes group by group. A write with a time is left out where the history
// has something as new for its key, and one with IfChanged where the key holds its content already.
// The report counts the stored writes, also when there is an error; it is a *PartialError where
// some groups are stored and others not.
func (op *Operation) PutAll(ctx context.Context, writes []Checked) (BatchReport, error) {
	return op.putAll(ctx, writes, func([]Checked) {})
}

// putAll is PutAll, which calls done with each group that is stored.
func (op *Operation) putAll(ctx context.Context, writes []Checked, done func([]Checked)) (
	BatchReport, error) {
	asked, ever := askedKeys(writes) // all in the first group, for that is one pass
	b := &batchRun{op: op, total: len(writes), left: writes}
	for len(b.left) > 0 {
		some := b.left[:groupLen(b.left)]
		err := b.next(ctx, len(some), func(t *Tx, group []Checked) (BatchReport, error) {
			return op.putGroup(ctx, t, group, asked, ever)
		})
		if err != nil {
			return b.rep, b.partial(err)
		}
		done(some)
		if len(b.left) > 0 {
			asked, _ = askedKeys(b.left[:groupLen(b.left)])
		}
		if op.store.opts.Progress != nil {
			op.store.opts.Progress(op.verb.String(), b.total-len(b.left), b.total)
		}
	}
	return b.rep, nil
}

func groupLen(writes []Checked) int {
	size := 0
	for i, p := range writes {
		size += len(p.env.Content) + len(p.env.Source)
		if i >= groupLines || i > 0 && size > groupBytes {
			return i
		}
	}
	return len(writes)
}

// askedKeys returns the keys whose records a batch needs, and whether it needs them from the whole
// history: a record that is older than a tombstone must not bring its key back.
func askedKeys(writes []Checked) (keys []keypath.Key, ever bool) {
	for _, p := range writes {
		if p.Imported() || p.when != always {
			keys = append(keys, p.env.Key)
		}
		ever = ever || p.Imported()
	}
	return keys, ever
}

func (op *Operation) putGroup(ctx context.Context, t *Tx, group []Checked, asked []keypath.Key,
	ever bool) (rep BatchReport, err error) {
	f := duplicateFilter{ctx: ctx, op: op, report: &rep}
	switch {
	case ever:
		f.known, err = t.tx.NewestEver(ctx, asked)
	case len(asked) > 0:
		f.known, err = t.tx.Newest(ctx, asked)
	}
	for i := 0; err == nil && i < len(group); i++ {
		if group[i].facts == nil {
			return rep, ErrUnchecked
		}
		p := f.vouched(group[i])
		if old := f.known[p.env.Key]; p.when == whenFree && !old.Key.IsZero() {
			return rep, &ConflictError{Key: p.env.Key, Newest: old}
		}
		if !f.isNew(p) {
			continue
		}
		if err = f.checkAppend(p); err == nil {
			p.fresh = policy.IsAppendOnly(p.facts.Class) && (p.Imported() || p.when != always)
			err = t.put(p)
		}
		if err == nil {
			f.count(t.written[len(t.written)-1])
		}
	}
	return rep, err
}

// TryAll counts what PutAll would do, without a lock.
func (op *Operation) TryAll(ctx context.Context, writes []Checked) (rep BatchReport, err error) {
	asked, ever := askedKeys(writes)
	f := duplicateFilter{ctx: ctx, op: op, report: &rep,
		known: make(map[keypath.Key]log.Record, len(asked))}
	for _, key := range asked {
		f.known[key] = log.Record{}
	}
	newest := log.MinStamp
	see := func(rec log.Record) error {
		newest = max(newest, rec.TS)
		if old, ok := f.known[rec.Key]; ok && (old.Key.IsZero() || rec.Wins(old)) {
			f.known[rec.Key] = rec.Clone()
		}
		return nil
	}
	if ever {
		err = op.store.Everything(ctx, see)
	} else {
		for rec, failed := range op.store.backend.ScanBelow(ctx, keypath.Prefix{}) {
			if err = failed; err == nil {
				err = see(rec)
			}
		}
	}
	for i := 0; err == nil && i < len(writes); i++ {
		p := f.vouched(writes[i])
		if !f.isNew(p) {
			continue
		}
		if err = f.checkAppend(p); err == nil && !p.Imported() {
			p.env.TS, err = log.NextStamp(op.Now().Time(), newest)
		}
		newest = max(newest, p.env.TS)
		f.count(p)
	}
	return rep, err
}

// duplicateFilter is the filter of a batch that drops stale and known writes.
type duplicateFilter struct {
	ctx    context.Context // of the one call that it lives for
	op     *Operation
	known  map[keypath.Key]log.Record // newest of each key that was asked for; a zero record: none
	report *BatchReport
}

// isNew reports whether a write is to be stored, and counts it if not.
func (f *duplicateFilter) isNew(p Checked) bool {
	old := f.known[p.env.Key]
	none := old.Key.IsZero()
	switch {
	case p.Imported() && !none && old.Valid() && policy.IsAppendOnly(p.facts.Class) &&
		bytes.Equal(old.Content, p.env.Content):
		f.report.Unchanged++ // whatever time and source it claims
		return false
	case f.isStored(p):
		f.report.Unchanged++
		return false
	case p.Imported() && !none:
		rec := log.RecordOf(p.env)
		if rec.Wins(old) {
			return !f.op.protects(old)
		}
		if bytes.Equal(old.Line, rec.Line) {
			f.report.Unchanged++
		} else {
			f.report.Stale++
			if content.IsPurgeMark(old) {
				f.report.Purged++
			}
		}
		return false
	case !p.Imported() && p.when != always && p.sameAs(old.Envelope, !none && old.Valid()):
		f.report.Unchanged++
		return false
	}
	return none || !f.op.protects(old)
}

// checkAppend refuses a write that would take the place of an append-only memory.
func (f *duplicateFilter) checkAppend(p Checked) error {
	old := f.known[p.env.Key]
	if old.Key.IsZero() || !old.Valid() {
		return nil
	}
	return policy.CheckAppend(p.env.Key, p.env.Content, old.Content)
}

// count counts a write, and remembers it for those after it.
func (f *duplicateFilter) count(p Checked) {
	f.report.Written++
	if p.reason != "" {
		f.report.Apart++
	}
	old := f.known[p.env.Key]
	switch live := !old.Key.IsZero() && old.Valid(); {
	case !live && p.env.Valid():
		f.report.New++
	case !live:
		f.report.Idle++
	}
	if p.isDemoted() {
		f.report.Facts++
	}
	if f.known != nil {
		f.known[p.env.Key] = log.RecordOf(p.env)
	}
}

// vouched returns a write as it is stored: a person that vouches for the very line that the key has
// with a mark stores it anew, later by a microsecond. So is the very line that an import has
// stored, where an undo of the whole import took it back: no other deletion gives way.
func (f *duplicateFilter) vouched(p Checked) Checked {
	old := f.known[p.env.Key]
	if p.isTwin(old.Envelope) && p.vouches(f.op.ClaimOf(old)) {
		p.env.TS++
	}
	at, command := content.Undone(old.Source)
	if f.op.verb == policy.Restore && p.Imported() && p.env.Valid() &&
		command == policy.Import.String() && at == p.env.TS.String() {
		p.env.Content, p.env.TS = content.KeepTime(p.env.Content, p.env.TS), old.TS+1
	}
	return p
}

// isStored reports whether the store has the line of a write: where a person has vouched for it
// elsewhere it is later by a microsecond.
func (f *duplicateFilter) isStored(p Checked) bool {
	old := f.known[p.env.Key]
	e := old.Envelope
	e.TS++
	return p.isTwin(old.Envelope) || p.isTwin(e) && !p.vouches(f.op.ClaimOf(old))
}

// warnBatch warns of importance 1 in a batch, once.
func (o Options) warnBatch(writes []Checked) {
	lines := 0
	for _, p := range writes {
		if !p.Imported() && bytes.Contains(p.env.Content, []byte(`"importance":1`)) &&
			content.Parse(p.env.Content).WholeOne {
			lines++
		}
	}
	if lines > 0 {
		o.Warn(fmt.Sprintf("%s (lines: %d)", wholeOne, lines))
	}
}
