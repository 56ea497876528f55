package mem

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/filestore"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/secret"
)

// Operation is one call of a verb: what it writes passes the rules here, and it has a line in the
// journal of what ran (M-60). A view above the Store does its work through one.
type Operation struct {
	store   *Store
	caller  Caller
	name    string
	start   time.Time
	allowed []string // rules for secrets that do not count this time
}

// Begin begins an operation. allowSecrets names rules for secrets (package secret) that do not
// count this time; the journal keeps them. The error wraps ErrInput where there is no such rule: an
// exception that does nothing is not what the caller means.
func (s *Store) Begin(c Caller, name string, allowSecrets ...string) (*Operation, error) {
	if err := policy.CheckAllowed(allowSecrets); err != nil {
		return nil, fmt.Errorf("allow-secret: %w: %w", ErrInput, err)
	}
	return newOperation(s, c, name, allowSecrets...), nil
}

// newOperation is Begin for rules that are known, or none.
func newOperation(s *Store, c Caller, name string, allowed ...string) *Operation {
	return &Operation{store: s, caller: c, name: name, start: s.opts.clock(), allowed: allowed}
}

// clock measures durations; it is the system's even where Now is fixed.
func (o Options) clock() time.Time {
	if o.Clock == nil {
		return time.Time{}
	}
	return o.Clock()
}

// Now is the instant of the operation.
func (op *Operation) Now() log.Stamp { return op.store.opts.stamp(op.caller) }

// Source returns a complete source with a locator of one member.
func (op *Operation) Source(kind, name, trace, value string) []byte {
	b := append([]byte(nil), `{"kind":`...)
	b = jsontext.AppendString(b, kind)
	b = append(b, `,"name":`...)
	b = jsontext.AppendString(b, name)
	b = append(b, `,"retrieved_at":`...)
	b = jsontext.AppendString(b, op.Now().String())
	b = append(b, `,"locator":{`...)
	b = jsontext.AppendString(b, trace)
	b = append(b, ':')
	b = jsontext.AppendString(b, value)
	return append(b, `}}`...)
}

// Checked is a write that has passed every rule that needs no lock. Its key may still become one
// below, see Below.
type Checked struct {
	log.Envelope
	Reason string // why it is quarantined under /untrusted/; "" if it is not

	imported bool // the ts was given
	once     bool // to be left out where the key has this content already
	sourced  bool // and this source, which the line named
}

// Below returns the write for a key below the one that it was checked for.
func (p Checked) Below(segment string) (Checked, error) {
	key, err := keypath.Parse(p.Key.String() + "/" + segment)
	p.Key = key
	return p, err
}

// Once returns the write as one that is left out where the key holds its content already.
func (p Checked) Once() Checked { p.once = true; return p }

// Imported reports whether the write has a given time, which it keeps.
func (p Checked) Imported() bool { return p.imported }

// day in microseconds.
const day = log.Stamp(24 * 3600 * 1e6)

// Check checks a write and brings it into the form in which it is stored. With quarantine a write
// that lacks provenance is kept under /untrusted/ instead of refused.
func (op *Operation) Check(ctx context.Context, w Write, quarantine bool) (p Checked, err error) {
	if err := policy.CheckSizes(w.Content, w.Source); err != nil {
		return p, err
	}
	p.Key = w.Key
	if p.Content, err = jsontext.Compact(nil, w.Content); err != nil {
		return p, fmt.Errorf("content: %w", err)
	}
	if p.Source, err = jsontext.Compact(nil, w.Source); err != nil {
		return p, fmt.Errorf("source: %w", err)
	}
	// Before any check whose message shows what it was given.
	if err := policy.CheckSecrets(p.Key, p.Content, p.Source, op.allowed); err != nil {
		return p, err
	}
	if p.Source[0] != '{' && p.Source[0] != '"' {
		return p, fmt.Errorf("source: %w: want a JSON object or string, not %.20s", ErrInput,
			p.Source)
	}
	if w.TS != nil {
		p.TS, p.imported = *w.TS, true
		if now := op.Now(); p.TS > now+day {
			return p, fmt.Errorf("ts: %w: %s is more than 24 h ahead of %s", ErrFuture, p.TS, now)
		}
	}
	return p, op.admit(ctx, &p, quarantine)
}

// admit checks provenance, and quarantines a write that lacks it if that is asked for.
func (op *Operation) admit(ctx context.Context, p *Checked, quarantine bool) error {
	conf, err := op.store.Config(ctx)
	if err != nil {
		return err
	}
	err = conf.rules.Check(p.Key, p.Content, p.Source)
	if !quarantine || !errors.Is(err, policy.ErrProvenance) {
		return err
	}
	p.Reason = err.Error()
	p.Key, p.Source, err = policy.Quarantine(p.Key, p.Source, err, op.Now())
	return err
}

// Tx is an update while it runs: it reads what is live now, and stores writes.
type Tx struct {
	tx      backend.Tx
	written []Checked
}

// Get returns the newest live memory of a key, expired or not.
func (t *Tx) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	return t.tx.Get(ctx, key)
}

// Below yields the live memories under a prefix by key, expired ones too. The record shares a
// buffer until the next step. An error is the last.
func (t *Tx) Below(ctx context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error] {
	return t.tx.Below(ctx, prefix)
}

// NextNumber returns the next number of a counter. Where the update stores what carries it, it is
// never returned again. The error wraps ErrInput where there is none left.
func (t *Tx) NextNumber(ctx context.Context, counter string) (int64, error) {
	n, err := t.tx.NextNumber(ctx, counter)
	if errors.Is(err, backend.ErrUsedUp) {
		err = fmt.Errorf("%w: %w", ErrInput, err)
	}
	return n, err
}

// Put stores writes, in this order, each with a later time than the one before.
func (t *Tx) Put(writes ...Checked) error {
	stamps, err := t.tx.Append(envelopesOf(writes)...)
	if err != nil {
		return err
	}
	for i := range writes {
		writes[i].TS = stamps[i]
	}
	t.written = append(t.written, writes...)
	return nil
}

func envelopesOf(writes []Checked) []log.Envelope {
	envelopes := make([]log.Envelope, len(writes))
	for i, p := range writes {
		envelopes[i] = p.Envelope
	}
	return envelopes
}

// Update runs fn, excluding all other updates, and returns what it stored when that is on disk. fn
// may share its lock with others and may run again: it has no effects but those of tx. Each write,
// or else the error, gets a line in the journal. Where the error wraps backend.ErrStored all is
// stored.
func (op *Operation) Update(ctx context.Context, fn func(*Tx) error) ([]Outcome, error) {
	written, err := op.update(ctx, fn)
	if !stored(err) {
		op.Failed(keypath.Key{}, err)
		return nil, err
	}
	outcomes := make([]Outcome, len(written))
	for i, p := range written {
		outcomes[i] = p.outcome(op.store)
		op.wrote(p, err)
	}
	return outcomes, err
}

func (op *Operation) update(ctx context.Context, fn func(*Tx) error) ([]Checked, error) {
	var t *Tx
	err := op.store.backend.Update(ctx, op.caller, op.name, func(tx backend.Tx) error {
		t = &Tx{tx: tx}
		return fn(t)
	})
	if t == nil || !stored(err) {
		return nil, err
	}
	return t.written, err
}

// stored reports whether a write that ended with err is in the log.
func stored(err error) bool { return err == nil || errors.Is(err, backend.ErrStored) }

// wrote records one write in the journal.
func (op *Operation) wrote(p Checked, err error) {
	rec := opRecord{Key: p.Key.String()}
	if err == nil {
		valid := p.Valid()
		rec.TS, rec.Valid, rec.Source = p.TS.String(), &valid,
			redact(SourceSummary(p.Source), string(p.Source))
	}
	op.end(rec, err)
}

// Failed records in the journal that a write of a key failed; the zero Key is for another failure.
func (op *Operation) Failed(key keypath.Key, err error) { op.end(opRecord{Key: key.String()}, err) }

// Done records in the journal how many records the operation touched, or its error.
func (op *Operation) Done(count int, err error) { op.end(opRecord{Count: count}, err) }

// read records in the journal how many memories were read, the newest of them, and its source.
func (op *Operation) read(count int, newest readRecord, err error) {
	rec := opRecord{Count: count}
	if newest.key != "" {
		valid := true
		rec.Key, rec.TS, rec.Valid = newest.key, newest.ts.String(), &valid
		rec.Source = redact(SourceSummary(newest.source), string(newest.source))
	}
	op.end(rec, err)
}

// readRecord is what the journal keeps of a memory that was read.
type readRecord struct {
	key    string
	ts     log.Stamp
	source []byte
}

func (op *Operation) end(rec opRecord, err error) {
	s := op.store
	rec.At, rec.Op, rec.Allowed = op.Now().String(), op.name, op.allowed
	rec.Took = s.opts.clock().Sub(op.start)
	if err != nil {
		rec.Error = redact(clip(err.Error(), 300), err.Error())
	}
	rec.Key = redact(rec.Key, rec.Key)
	s.backend.Journal(filestore.OpsFile).Append(rec.line(), opsLimit)
}

// opsLimit is the size in bytes at which the older half of the journal is removed.
const opsLimit = 1 << 20

// opRecord is one line of the journal. What is empty is left out.
type opRecord struct {
	At      string // when it ran
	Op      string
	Key     string
	TS      string // of the envelope written, or the newest one read
	Valid   *bool
	Source  string
	Count   int
	Took    time.Duration
	Allowed []string // rules for secrets that did not count
	Error   string
}

// line returns the record as JSON. It is written by hand because the reflection of encoding/json
// would slow down every short command.
func (r opRecord) line() []byte {
	var b []byte
	text := func(name, value string) {
		if value != "" {
			b = jsontext.AppendString(append(append(b, `,"`...), name+`":`...),
				strings.ToValidUTF8(value, "�"))
		}
	}
	text("at", r.At)
	text("op", r.Op)
	text("key", r.Key)
	text("ts", r.TS)
	if r.Valid != nil {
		b = strconv.AppendBool(append(b, `,"valid":`...), *r.Valid)
	}
	text("source", r.Source)
	if r.Count > 0 {
		b = strconv.AppendInt(append(b, `,"count":`...), int64(r.Count), 10)
	}
	ms := float64(r.Took.Microseconds()) / 1000
	b = strconv.AppendFloat(append(b, `,"ms":`...), ms, 'f', -1, 64)
	b = r.appendAllowed(b)
	text("error", r.Error)
	b[0] = '{'
	return append(b, "}\n"...)
}

func (r opRecord) appendAllowed(b []byte) []byte {
	for i, rule := range r.Allowed {
		if i == 0 {
			b = append(b, `,"allowed":`...)
		}
		b = jsontext.AppendString(append(b, "[,"[min(i, 1)]), rule)
	}
	if len(r.Allowed) > 0 {
		b = append(b, ']')
	}
	return b
}

// redact returns text for the journal, unless what it was made of looks like a secret: a refused
// write's key or message, or what was let in this once.
func redact(text, of string) string {
	if secret.Within(jsontext.AppendString(nil, of)) {
		return "(withheld: it looks like a secret)"
	}
	return text
}

// SourceSummary returns in a few words where a write came from: kind and name, or the string.
func SourceSummary(source []byte) string {
	if len(source) > 0 && source[0] == '"' {
		return clip(jsontext.Unquote(source), 60)
	}
	var kind, name string
	for member, value := range jsontext.Members(source) {
		switch member {
		case "kind":
			kind = jsontext.Unquote(value)
		case "name":
			name = jsontext.Unquote(value)
		}
	}
	if kind != "" && name != "" {
		kind += " "
	}
	return clip(kind+name, 60)
}

// clip shortens a text to most characters.
func clip(text string, most int) string {
	if n := 0; len(text) > most {
		for i := range text {
			if n++; n > most {
				return text[:i] + "…"
			}
		}
	}
	return text
}
