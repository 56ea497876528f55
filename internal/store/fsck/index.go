package fsck

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// indexCheck is the checks of the tree (F05 to F09, F14, F15).
type indexCheck struct{ *Checker }

// run walks the tree and compares every file with the fold.
func (c indexCheck) run() error {
	seen := make(map[string]bool, len(c.fold))
	c.begin(index.DirName, len(c.fold))
	if c.tree != nil {
		for f := range c.files() {
			if f.err != nil {
				return f.err
			}
			c.tick()
			c.entry(f, seen)
		}
	}
	for rec := range c.fold.Sorted() {
		name := string(rec.Key.Path())
		if rec.Valid() && rec.Key.Class().Mirrored() && !seen[name] && !c.mayBeGone(rec) {
			c.findMissing(name, rec.Key)
		}
	}
	return nil
}

// findMissing reports a live key without a file, as the file of a deleted key is removed.
func (c indexCheck) findMissing(name string, key keypath.Key) {
	why := ""
	if c.unclear {
		why = "; a damaged or lost line may have deleted it: mem ls shows it, mem rm deletes it"
	}
	c.find(checkMissing, Finding{File: index.DirName + "/" + name, Key: key.String()},
		"no file for %s%s", key, why)
}

// mayBeGone reports whether a live record has expired: by now, or when a compaction took out what
// had, whatever the clock says today.
func (c indexCheck) mayBeGone(rec log.Record) bool {
	by := log.StampOf(c.Now)
	if c.cpFits {
		by = max(by, c.cp.ExpiredBy)
	}
	return content.Expired(rec.Content, by)
}

// indexFile is an entry of the tree, with the text of a plain file.
type indexFile struct {
	index.Entry
	text []byte
	err  error // the file system's, and the last
}

// files walks the tree and reads its files. One that vanishes meanwhile is skipped.
func (c indexCheck) files() iter.Seq[indexFile] {
	return func(yield func(indexFile) bool) {
		for entry, err := range c.tree.Walk() {
			f := indexFile{Entry: entry, err: err}
			if err == nil && (f.Kind == index.KindFile || f.Kind == index.KindForeign) {
				f.text, f.err = c.tree.ReadPath(f.Path)
				f.err = disk.Ignore(f.err, disk.ErrLarger) // it is no envelope, whatever it is
			}
			if disk.IsNotExist(f.err) {
				continue
			}
			if !yield(f) || f.err != nil {
				return
			}
		}
	}
}

func (c indexCheck) entry(f indexFile, seen map[string]bool) {
	at := Finding{File: index.DirName + "/" + f.Path}
	switch f.Kind {
	case index.KindFile:
		seen[f.Path] = true
		if !c.asWritten(f.Key, f.text) {
			c.plainFile(f.Path, f.text, at)
		}
	case index.KindForeign:
		c.misplaced(f.Path, f.text, at)
	case index.KindIrregular:
		c.find(checkIrregular, at, "not a plain file")
	case index.KindTemp:
		c.findTemp(at)
	}
}

// misplaced reports a file at a path that no key has: a duplicate, or foreign.
func (c indexCheck) misplaced(name string, text []byte, at Finding) {
	rec, err := index.Parse(name, text)
	if err != nil {
		c.find(checkForeign, at, `not an envelope (one added by hand is {"key":...,"content":...})`)
		return
	}
	at.Key = rec.Key.String()
	c.find(checkDuplicate, at, "it holds %s, whose path is %s", rec.Key, rec.Key.Path())
}

func (c indexCheck) plainFile(name string, text []byte, at Finding) {
	line, err := log.CompactLine(nil, text)
	if err != nil {
		c.unreadable(name, at, err)
		return
	}
	e, err := log.DecodeStrict(line)
	switch {
	case errors.Is(err, log.ErrChecksum):
		c.edited(name, at)
	case err != nil:
		c.unreadable(name, at, err)
	case string(e.Key.Path()) != name:
		at.Key = e.Key.String()
		c.find(checkDuplicate, at, "it holds %s, whose path is %s", e.Key, e.Key.Path())
	default:
		at.Key = e.Key.String()
		c.compare(name, at, log.Record{Envelope: e, Line: line})
	}
}

// asWritten reports whether a text is, to the byte, what mem writes for the newest record of its
// key. It is quicker than the other checks and holds for nearly every file.
func (c indexCheck) asWritten(key keypath.Key, text []byte) bool {
	rec, known := c.fold[key]
	if !known || !rec.Valid() || !key.Class().Mirrored() {
		return false
	}
	want, err := log.Indent(rec.Line)
	return err == nil && bytes.Equal(want, text)
}

// compare compares a sound envelope at its right path with the newest of its key.
func (c indexCheck) compare(name string, at Finding, have log.Record) {
	want, known := c.fold[have.Key]
	lost := ""
	if c.short && have.TS > want.TS {
		lost = ": a repair stores it again"
	}
	switch {
	case !have.Key.Class().Mirrored():
		c.find(checkStale, at, "%s has no file, because too many keys share its name", have.Key)
	case known && want.Valid() && bytes.Equal(want.Line, have.Line):
	case !log.Checksummed(have.Line):
		c.edited(name, at)
	case !known:
		c.find(checkStale, at, "the log has no record of %s%s", have.Key, lost)
	case !want.Valid():
		c.find(checkStale, at, "%s was voided at %s", have.Key, want.TS)
	default:
		c.find(checkStale, at, "it is of %s, the log has %s%s", have.TS, want.TS, lost)
	}
}

func (c indexCheck) edited(name string, at Finding) {
	if key, exact, err := keypath.Decode(keypath.RelPath(name)); err == nil && exact {
		at.Key = key.String()
	}
	c.find(checkEdited, at, "its text no longer fits its checksum")
}

// unreadable reports a file at a key's path that is no envelope: edited, or foreign.
func (c indexCheck) unreadable(name string, at Finding, err error) {
	if key, exact, derr := keypath.Decode(keypath.RelPath(name)); derr == nil && exact {
		if rec, ok := c.fold[key]; ok && rec.Valid() {
			at.Key = key.String()
			c.find(checkEdited, at, "%s", fmt.Sprint(err))
			return
		}
	}
	c.find(checkForeign, at, "%s", err)
}
