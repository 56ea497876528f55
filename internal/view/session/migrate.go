package session

import (
	"context"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A record without schema_version is of version 0: hand-written, or of a build before there were
// versions. It is read as it is, and becomes one of this version at the first write to its session,
// or by Migrate: only by Migrate where another program has put it into the log of a session all of
// whose records had this version. One of a newer version is read and left alone.

// versionOf returns the version of a record's content; 0 where it names none.
func versionOf(text []byte) int64 {
	for name, value := range jsontext.RawMembers(text) {
		if string(name) == "schema_version" {
			return number(value)
		}
	}
	return 0
}

// isOld reports whether a record is to be brought up to this version.
func isOld(rec log.Record) bool {
	return rec.Key.Class() == keypath.Told && len(rec.Content) > 0 && rec.Content[0] == '{' &&
		versionOf(rec.Content) < Version
}

// migrated returns the write of a record in this version: all that it says and its source stay.
func migrated(ctx context.Context, op *mem.Operation, rec log.Record) (mem.Checked, error) {
	text := content.KeepTime(rec.Content, rec.TS)
	members := jsontext.ParseMembers(text).With("schema_version",
		strconv.AppendInt(nil, Version, 10))
	return op.Check(ctx, mem.Write{Key: rec.Key, Content: members.Object(), Source: rec.Source},
		false)
}

// migrate brings the session up to this version, and reports whether that had to be done.
func (w *writer) migrate(tx *mem.Tx) (changed bool, err error) {
	if w.session.Entries >= Version {
		return false, nil
	}
	var list []mem.Checked
	w.refused = 0
	for rec, err := range tx.ScanBelow(w.ctx, prefixOf(w.id)) {
		if err != nil {
			return false, err
		}
		if !isOld(rec) {
			continue
		}
		p, err := migrated(w.ctx, w.op, rec.Clone())
		switch kind := mem.KindOf(err); {
		case kind == mem.KindRefused || kind == mem.KindInput:
			w.refused++ // it is stored, and can be read as it is
		case err != nil:
			return false, err
		default:
			list = append(list, p)
		}
	}
	w.migrated = len(list)
	w.session.Entries = Version
	return true, tx.Put(list...)
}

// Migrated is what a migration did, or would do.
type Migrated struct {
	Session string `json:"session"`
	Records int    `json:"records"`           // that were of an older version
	Refused int    `json:"refused,omitempty"` // of which a write would be refused: they stay so
}

// Migrate brings all sessions up to this version, each in an update of its own; closed ones
// too. With dryRun it only counts. Those that had nothing to do are not returned.
func Migrate(ctx context.Context, s *mem.Store, c mem.Caller, dryRun bool) (
	list []Migrated, err error) {
	old, err := oldRecords(ctx, s, c)
	if err != nil || dryRun {
		return old, err
	}
	op, err := s.Begin(c, policy.Migrate)
	if err != nil {
		return nil, err
	}
	for _, one := range old {
		w, err := newWriter(ctx, op, one.Session)
		if err != nil {
			return list, err
		}
		if _, err := op.UpdateAsOne(ctx, w.migrateAll); err != nil {
			return list, err
		}
		list = append(list, Migrated{one.Session, w.migrated, w.refused})
	}
	return list, nil
}

// migrateAll brings the session up to this version; one whose metadata is missing, too.
func (w *writer) migrateAll(tx *mem.Tx) (err error) {
	w.session, err = load(w.ctx, tx, w.id, w.op.Now())
	switch {
	case mem.KindOf(err) == mem.KindNo:
		w.session = &Session{ID: w.id}
		_, err = w.migrate(tx)
		return err
	case err != nil:
		return err
	}
	w.session.Entries = 0
	if _, err := w.migrate(tx); err != nil || w.session.Version > Version {
		return err
	}
	return w.save(tx)
}

// oldRecords counts the records of older versions by session.
func oldRecords(ctx context.Context, s *mem.Store, c mem.Caller) (list []Migrated, err error) {
	all, err := keypath.ParsePrefix(keypath.Sessions)
	if err != nil {
		return nil, err
	}
	err = s.List(ctx, c, mem.Filter{Prefix: all, Expired: true}, func(rec log.Record) error {
		if !isOld(rec) {
			return nil
		}
		id := idOf(rec.Key)
		if n := len(list); n == 0 || list[n-1].Session != id {
			list = append(list, Migrated{Session: id})
		}
		list[len(list)-1].Records++
		return nil
	})
	return list, err
}
