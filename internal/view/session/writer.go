package session

import (
	"context"
	"slices"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// writer writes to one session within an update.
type writer struct {
	ctx     context.Context // of the one call that it lives for
	store   *mem.Store
	op      *mem.Operation
	id      string
	conf    *mem.Config
	rules   Rules    // of conf and the session
	session *Session // as the update found it, and has changed it
	own     []keypath.Key
	done    Compacted // by the update
	changed bool      // the metadata, so that it is to be stored
	size    int64     // after it
}

// writerTo returns one for a session that must be there: an update would make the store.
func writerTo(ctx context.Context, op *mem.Operation, id string) (*writer, error) {
	if !op.Store().Exists() {
		err := notFound(id)
		op.Failed(keypath.Key{}, err)
		return nil, err
	}
	return newWriter(ctx, op, id)
}

func newWriter(ctx context.Context, op *mem.Operation, id string) (*writer, error) {
	conf, err := op.Config(ctx)
	if err != nil {
		return nil, err
	}
	return &writer{ctx: ctx, store: op.Store(), op: op, id: id, conf: conf, rules: Rules{conf}}, nil
}

// open finds the session, to which something is to be added.
func (w *writer) open(tx *mem.Tx) (err error) {
	w.done, w.own, w.changed = Compacted{}, nil, false
	if w.session, err = load(w.ctx, tx, w.id, w.op.Now()); err != nil {
		return err
	}
	w.rules = w.session.Rules(w.conf)
	if err := w.checkVersions(tx); err != nil {
		return err
	}
	return w.session.writable()
}

// checkVersions refuses a session in which a record has no version. It reads the records only where
// the metadata does not say that all have this version: a write costs no read of its session. A
// line that another program put into the log is found by the verbs that read all records, and by
// fsck.
func (w *writer) checkVersions(tx *mem.Tx) error {
	if w.session.Entries >= Version {
		return nil
	}
	for rec, err := range tx.ScanBelow(w.ctx, prefixOf(w.id)) {
		if err != nil {
			return err
		}
		if rec.Key.Class() == keypath.Remembered && policy.IsUnversioned(rec) {
			return policy.UnversionedError(rec.Key)
		}
	}
	w.session.Entries, w.changed = Version, true
	return nil
}

// add stores records, and keeps the session within its limit.
func (w *writer) add(tx *mem.Tx, records ...mem.Checked) error {
	if err := w.open(tx); err != nil {
		return err
	}
	return w.put(tx, records)
}

// put stores records in the session that is open.
func (w *writer) put(tx *mem.Tx, records []mem.Checked) error {
	if err := tx.Put(records...); err != nil {
		return err
	}
	for _, p := range records {
		w.own = append(w.own, p.Key())
	}
	return w.fit(tx)
}

// fit compacts the session where it is nearly full, and refuses a write that does not fit then.
func (w *writer) fit(tx *mem.Tx) (err error) {
	if w.size, err = w.measure(tx); err != nil {
		return err
	}
	if w.isDue() {
		if err := w.compact(tx); err != nil {
			return err
		}
		w.changed = true
	}
	if w.size > w.rules.Limit() {
		spent := w.rules.Config.Storage.AutoCompact || w.session.Idle > 0
		return &FullError{ID: w.id, Size: w.size, Limit: w.rules.Limit(), Spent: spent}
	}
	if !w.changed {
		return nil
	}
	return w.save(tx)
}

// save stores the metadata.
func (w *writer) save(tx *mem.Tx) error {
	p, err := w.session.write(w.ctx, w.op)
	if err != nil {
		return err
	}
	return tx.Put(p)
}

// measure returns how many bytes the session has, with what the update has stored. Where there are
// fewer bytes of tombstones than after the last compaction, some are gone: by an undo, a purge, or
// because the session is from elsewhere. Then those that are left count as of that time.
func (w *writer) measure(tx *mem.Tx) (int64, error) {
	live, deleted, err := tx.Size(w.ctx, prefixOf(w.id))
	if err == nil && deleted < w.session.Deleted {
		w.session.Deleted, w.changed = deleted, true
	}
	return w.session.head().Size(live, deleted), err
}

// isDue reports whether the session is to be compacted by itself.
func (w *writer) isDue() bool {
	switch limit := w.rules.Limit(); {
	case !w.rules.Config.Storage.AutoCompact || w.size <= min(w.rules.Threshold(), limit):
		return false
	case w.size > limit || w.session.Idle == 0:
		return true
	default:
		return w.size >= w.session.Idle+limit/100
	}
}

// Compacted is what a compaction of a session did.
type Compacted struct {
	Session string  `json:"session_id"`
	Ran     bool    `json:"ran"`
	Before  int     `json:"entries_before"`
	After   int     `json:"entries_after"`
	Dropped int     `json:"dropped"`
	From    int64   `json:"bytes_before"`
	To      int64   `json:"bytes_after"`
	Least   float64 `json:"min_relevance"` // below it records were dropped

	took time.Duration
}

// compact drops the records that are less relevant than the rules allow: by tombstones, so that a
// rebuild does not bring them back. Records that this update has stored stay, and so do
// preferences, whatever their relevance.
func (w *writer) compact(tx *mem.Tx) error {
	least, now := w.rules.Config.Decay.MinRelevance, w.op.Now()
	began := w.op.Elapsed()
	defer func() { w.done.took = w.op.Elapsed() - began }()
	logEvent(w.store, w.id, "Session compaction started", nil)
	w.done = Compacted{Session: w.id, Ran: true, From: w.size, Least: least}
	var drop []mem.Checked
	some, err := w.dropsAny(tx, now)
	if err == nil && some {
		drop, err = w.dropped(tx, now)
	}
	if err != nil {
		return err
	}
	if err := tx.Put(drop...); err != nil {
		return err
	}
	return w.compacted(tx, len(drop))
}

// dropsAny reports whether a compaction drops anything, and counts the records. It reads one of
// them at most: everybody waits, and in a session that stays full there is mostly nothing to drop.
func (w *writer) dropsAny(tx *mem.Tx, now log.Stamp) (bool, error) {
	droppedFirst := func(p backend.SortKey) float64 {
		w.done.Before++
		if f := (content.Fields{Type: p.Type, Importance: p.Importance,
			HasExpiry: p.HasExpiry, Expires: p.Expires}); w.worth(f, p.Time, now) == "" {
			return 0
		}
		if key, ok := p.Key(); ok && slices.Contains(w.own, key) {
			return 0
		}
		return 1
	}
	told := backend.Classes(0).With(keypath.Remembered)
	first, err := tx.Select(w.ctx, backend.Where{Classes: told, Without: ^told, Now: log.MinStamp,
		Conditions: backend.Conditions{Prefix: prefixOf(w.id), Superseded: true}}, // none expired
		backend.ByScore(droppedFirst), 1)
	return len(first) > 0 && w.dropReason(first[0], now) != "", err
}

// dropped returns the tombstones of the dropped records.
func (w *writer) dropped(tx *mem.Tx, now log.Stamp) (drop []mem.Checked, err error) {
	w.done.Before = 0
	for rec, err := range tx.ScanBelow(w.ctx, prefixOf(w.id)) {
		if err != nil {
			return nil, err
		}
		if rec.Key.Class() != keypath.Remembered {
			continue
		}
		w.done.Before++
		why := w.dropReason(rec, now)
		if why == "" {
			continue
		}
		p, err := w.op.Tombstone(w.ctx, rec.Key, "system", compactionSource(why))
		if err != nil {
			return nil, err
		}
		drop = append(drop, p)
	}
	return drop, nil
}

// dropReason returns why a record is dropped; "" where it stays.
func (w *writer) dropReason(rec log.Record, now log.Stamp) string {
	if slices.Contains(w.own, rec.Key) {
		return ""
	}
	f := content.Parse(rec.Content)
	return w.worth(f, f.Time(rec.TS), now)
}

// worth is dropReason for a record that another update has stored, judged by its content.
func (w *writer) worth(f content.Fields, at, now log.Stamp) string {
	switch {
	case f.Type == "preference":
		return ""
	case f.Expired(now):
		return "expired " + f.Expires.String()
	}
	relevance := w.rules.Parts(f.Type, at, now, f.Importance, 1).Relevance()
	if relevance < w.rules.Config.Decay.MinRelevance {
		return "relevance " + shortNumber(relevance)
	}
	return ""
}

// compacted keeps what the compaction has come to.
func (w *writer) compacted(tx *mem.Tx, dropped int) error {
	live, deleted, err := tx.Size(w.ctx, prefixOf(w.id))
	if err != nil {
		return err
	}
	w.session.LastCompaction, w.session.Deleted = w.op.Now(), deleted
	w.size = w.session.head().Size(live, deleted)
	w.session.Idle = 0
	if dropped == 0 {
		w.session.Idle = w.size
	}
	w.done.Dropped, w.done.After, w.done.To = dropped, w.done.Before-dropped, w.size
	return nil
}

func compactionSource(reason string) []byte {
	var o jsontext.Object
	o.Text("kind", "system")
	o.Text("name", "session-compaction")
	o.Text("reason", reason)
	return o.Bytes()
}

// Compact drops the hardly relevant records of a session, whatever its size; also of a closed one.
// The error wraps ErrNotFound or ErrUnversioned.
func Compact(ctx context.Context, s *mem.Store, c mem.Caller, id string) (
	done Compacted, err error) {
	op, err := s.Begin(c, policy.Session)
	if err != nil {
		return done, err
	}
	w, err := writerTo(ctx, op, id)
	if err != nil {
		return done, err
	}
	_, err = op.UpdateAsOne(ctx, func(tx *mem.Tx) error {
		if err := w.open(tx); err != nil && !isClosed(err) {
			return err
		}
		w.session.Entries = 0 // all records are read anyway
		if err := w.checkVersions(tx); err != nil {
			return err
		}
		if w.size, err = w.measure(tx); err != nil {
			return err
		}
		if err := w.compact(tx); err != nil {
			return err
		}
		return w.save(tx)
	})
	w.logCompaction(err)
	return w.done, err
}
