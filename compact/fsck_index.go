package compact

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func ignoreIrregular(err error) error { return ignore(err, disk.ErrIrregular) }

// checkIndex walks the tree and holds every file against the fold (F05 to F09, F14, F15).
func (a *Audit) checkIndex() error {
	seen := make(map[string]bool, len(a.fold))
	if a.tree != nil {
		for entry, err := range a.tree.Walk() {
			if err != nil {
				return err
			}
			a.tick()
			if err := a.indexEntry(entry, seen); err != nil {
				return err
			}
		}
	}
	now := log.StampOf(a.Now)
	for rec := range a.fold.Sorted() {
		name := string(rec.Key.Path())
		if rec.Valid() && !seen[name] && !log.Expired(rec.Content, now) {
			a.find(checkMissing, Finding{File: index.DirName + "/" + name, Key: rec.Key.String()}, "no file for %s", rec.Key)
		}
	}
	return nil
}

func (a *Audit) indexEntry(e index.Entry, seen map[string]bool) error {
	at := Finding{File: index.DirName + "/" + e.Path}
	switch e.Kind {
	case index.KindFile:
		return a.indexFile(e.Path, at, seen)
	case index.KindForeign:
		return a.misplaced(e.Path, at)
	case index.KindIrregular:
		a.find(checkIrregular, at, "not a plain file")
	case index.KindTemp:
		a.findTemp(at)
	}
	return nil
}

// misplaced tells a file at the path of no key: an envelope is a duplicate, anything else foreign.
func (a *Audit) misplaced(name string, at Finding) error {
	rec, err := a.tree.GetPath(name)
	switch {
	case err == nil:
		at.Key = rec.Key.String()
		a.find(checkDuplicate, at, "it holds %s, whose place is %s", rec.Key, rec.Key.Path())
	case errors.Is(err, index.ErrForeign), errors.Is(err, index.ErrEdited):
		a.find(checkForeign, at, "not an envelope")
	default:
		return ignore(err, fs.ErrNotExist)
	}
	return nil
}

func (a *Audit) indexFile(name string, at Finding, seen map[string]bool) error {
	text, err := a.tree.ReadPath(name)
	if err != nil {
		return ignore(err, fs.ErrNotExist)
	}
	seen[name] = true
	line, err := log.CompactLine(nil, text)
	if err != nil {
		a.unreadable(name, at, err)
		return nil
	}
	e, err := log.DecodeStrict(line)
	switch {
	case errors.Is(err, log.ErrChecksum):
		a.edited(name, at)
	case err != nil:
		a.unreadable(name, at, err)
	case string(e.Key.Path()) != name:
		at.Key = e.Key.String()
		a.find(checkDuplicate, at, "it holds %s, whose place is %s", e.Key, e.Key.Path())
	default:
		at.Key = e.Key.String()
		a.compare(name, at, log.Record{Envelope: e, Line: line})
	}
	return nil
}

// compare holds a sound envelope at its right place against the newest of its key.
func (a *Audit) compare(name string, at Finding, have log.Record) {
	want, known := a.fold[have.Key]
	switch {
	case known && want.Valid() && bytes.Equal(want.Line, have.Line):
	case !log.Checksummed(have.Line):
		a.edited(name, at)
	case !known:
		a.find(checkStale, at, "the log knows nothing of %s", have.Key)
	case !want.Valid():
		a.find(checkStale, at, "%s was voided at %s", have.Key, want.TS)
	default:
		a.find(checkStale, at, "it is of %s, the log has %s", have.TS, want.TS)
	}
}

func (a *Audit) edited(name string, at Finding) {
	if key, exact, err := keypath.Decode(keypath.RelPath(name)); err == nil && exact {
		at.Key = key.String()
	}
	a.find(checkEdited, at, "its text no longer fits its checksum")
}

// unreadable tells a file at a live key's place that is no envelope any more: somebody edited it. At a dead key's place it is foreign.
func (a *Audit) unreadable(name string, at Finding, err error) {
	if key, exact, derr := keypath.Decode(keypath.RelPath(name)); derr == nil && exact {
		if rec, ok := a.fold[key]; ok && rec.Valid() {
			at.Key = key.String()
			a.find(checkEdited, at, "%s", fmt.Sprint(err))
			return
		}
	}
	a.find(checkForeign, at, "%s", err)
}
