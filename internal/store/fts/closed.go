package fts

import (
	"encoding/binary"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
)

// closedRun is a run of rows that are hidden from some callers: of one realm, in one folder.
type closedRun struct {
	span
	folder uint32
	realm  keypath.Realm // without its owner: the name of the folder has it
}

// superseded marks the realm of memories that other memories have replaced. A search that does not
// ask for these treats them as if they did not exist: their words count in no statistic.
const superseded keypath.Label = 1 << 7

// realmOf returns the realm of a memory, marked where another has replaced it.
func realmOf(key keypath.Key, f content.Fields) keypath.Realm {
	return mark(content.RealmOf(key, f), f.SupersededBy != "")
}

// mark returns a realm with the mark superseded where another memory has replaced its own.
func mark(r keypath.Realm, replaced bool) keypath.Realm {
	if replaced {
		r.Label |= superseded
	}
	return r
}

// Unmark returns a realm without the mark superseded, and whether it had that mark: then other
// memories have replaced every memory in it. Options.Sees gets realms with the mark.
func Unmark(r keypath.Realm) (plain keypath.Realm, replaced bool) {
	replaced = r.Label&superseded != 0
	r.Label &^= superseded
	return r, replaced
}

// isClosed reports whether the class or the label of a realm hides its records from some callers.
func isClosed(r keypath.Realm) bool { return !r.Class.IsOpenToAll() || r.Label != 0 }

// addClosed adds the next row to the runs, if it is hidden from some callers.
func addClosed(runs []closedRun, row, folder uint32, realm keypath.Realm) []closedRun {
	if !isClosed(realm) {
		return runs
	}
	realm.Owner = ""
	if n := len(runs); n > 0 {
		if last := &runs[n-1]; last.to == row && last.folder == folder && last.realm == realm {
			last.to++
			return runs
		}
	}
	return append(runs, closedRun{span{row, row + 1}, folder, realm})
}

// code returns the realm of a run as the sidecar has it.
func (r closedRun) code() uint32 { return uint32(r.realm.Class) | uint32(r.realm.Label)<<8 }

// hiddenRuns returns the runs of rows of the realms that sees refuses, in order. Each run lies in
// one folder and so in one realm, since the name of a folder includes the owner.
func (ix *Index) hiddenRuns(sees func(keypath.Realm) bool) (hidden []span, err error) {
	open := sees(keypath.Realm{})
	last := uint32(0)
	for i := range ix.size(secClosed) / closedSize {
		run, realm, err := closedRunAt(ix, i)
		if err != nil {
			return nil, err
		}
		if run.from < last || run.to <= run.from || run.to > ix.rows {
			return nil, stale("leads out of bounds")
		}
		if !open {
			if hidden, err = appendFolders(ix, hidden, span{last, run.from}); err != nil {
				return nil, err
			}
		}
		last = run.to
		if !sees(realm) {
			hidden = append(hidden, run)
		}
	}
	if !open {
		return appendFolders(ix, hidden, span{last, ix.rows})
	}
	return hidden, nil
}

func closedRunAt(ix *Index, i int) (run span, realm keypath.Realm, err error) {
	b, err := ix.part(secClosed, i*closedSize, (i+1)*closedSize)
	if err != nil {
		return run, realm, err
	}
	le := binary.LittleEndian
	run, code := span{le.Uint32(b), le.Uint32(b[4:])}, le.Uint32(b[8:])
	realm = keypath.Realm{Class: keypath.Class(code), Label: keypath.Label(code >> 8)}
	if realm.Class == keypath.Private && run.from < ix.rows {
		// A key is looked up only where there are owners.
		key, err := ix.Key(run.from)
		realm.Owner = keypath.RealmOf(key).Owner
		return run, realm, err
	}
	return run, realm, nil
}

// appendFolders appends a range of rows, one part for each folder.
func appendFolders(ix *Index, list []span, rows span) ([]span, error) {
	last := uint32(noFolder)
	for row := rows.from; row < rows.to; row++ {
		folder, err := ix.folder(row)
		if err != nil {
			return nil, err
		}
		if folder != last || row == rows.from {
			list = append(list, span{row, row})
		}
		list[len(list)-1].to, last = row+1, folder
	}
	return list, nil
}

// splitHidden returns the parts of spans outside hidden ones, and inside. Both are in order.
func splitHidden(spans, hidden []span) (outside, inside []span) {
	for _, sp := range spans {
		for _, h := range hidden {
			if h.to <= sp.from || h.from >= sp.to {
				continue
			}
			if h.from > sp.from {
				outside = append(outside, span{sp.from, h.from})
			}
			inside = append(inside, span{max(h.from, sp.from), min(h.to, sp.to)})
			sp.from = min(h.to, sp.to)
		}
		if sp.from < sp.to {
			outside = append(outside, sp)
		}
	}
	return outside, inside
}

// noFolder is that of the record whose key is the scope itself: it lies in none of the folders
// below the scope.
const noFolder = 1<<32 - 1
