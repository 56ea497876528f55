package fts

import (
	"encoding/binary"

	"github.com/set-memory/mem/keypath"
)

// closedRun is a run of rows that not everybody sees: of one realm, in one folder.
type closedRun struct {
	span
	folder uint32
	class  keypath.Class
}

// addClosed takes the next row into the runs, if it is one that not everybody sees.
func addClosed(runs []closedRun, row, folder uint32, class keypath.Class) []closedRun {
	if class.Shown() {
		return runs
	}
	if n := len(runs); n > 0 {
		if last := &runs[n-1]; last.to == row && last.folder == folder && last.class == class {
			last.to++
			return runs
		}
	}
	return append(runs, closedRun{span{row, row + 1}, folder, class})
}

// hiddenRuns returns the runs of rows of the realms that sees refuses, in order. Each lies in one
// folder, in whose name the owner of a realm stands: so it is of one realm.
func (ix *Index) hiddenRuns(sees func(keypath.Realm) bool) (hidden []span, err error) {
	last := uint32(0)
	for i := range ix.size(secClosed) / closedSize {
		b, err := ix.part(secClosed, i*closedSize, (i+1)*closedSize)
		if err != nil {
			return nil, err
		}
		run := span{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
		if run.from < last || run.to <= run.from || run.to > ix.rows {
			return nil, stale("leads out of bounds")
		}
		last = run.to
		realm, err := realmOf(ix, run, keypath.Class(binary.LittleEndian.Uint32(b[8:])))
		if err != nil {
			return nil, err
		}
		if !sees(realm) {
			hidden = append(hidden, run)
		}
	}
	return hidden, nil
}

// realmOf returns the realm of a run of a class. A key is looked up only where there are owners.
func realmOf(ix *Index, run span, class keypath.Class) (keypath.Realm, error) {
	if class != keypath.Private {
		return keypath.Realm{Class: class}, nil
	}
	key, err := ix.Key(run.from)
	return keypath.RealmOf(key), err
}

// without returns the parts of spans that lie outside hidden ones, and the parts inside. Both lists
// are in order.
func without(spans, hidden []span) (outside, inside []span) {
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
