package fts

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tail is what the log holds since the state was written, folded: the newest record of each key,
// tombstones too, for they hide rows. It may also be all there is.
//
// A record is cut into words once, by the first search after it was added; what terms the words
// have is found out only for those that a query may be after. One goroutine at a time may use a
// Tail.
type Tail struct {
	added   []tailDoc  // not read yet
	docs    []*tailDoc // in the order of their keys
	readers []*tailReader

	order    []uint32          // the docs by folder and name, without tombstones
	placedBy stateID           // of the index by which the docs are placed; zero: there was none
	folders  map[string]uint32 // numbers of the folders of the docs
	fresh    uint32            // of these, the ones that the index does not have
}

// tailDoc is one record of it.
type tailDoc struct {
	rec    log.Record
	seq    int // in which order it was added, among those that came between two searches
	reader *tailReader
	tokens []token
	length byte // its code
	marks  analyzer.Marks
	realm  keypath.Realm

	isPlaced bool
	name     string // once it was asked for
	place    tailPlace
}

// docsPerReader is how many docs are worth a reader: fewer are read before another core has woken.
const docsPerReader = 200

// NewTail returns an empty one.
func NewTail() *Tail { return &Tail{} }

// Add takes a record in the place of an earlier one of its key. It must stay as it is.
func (t *Tail) Add(rec log.Record) { t.added = append(t.added, tailDoc{rec: rec}) }

// prepare reads the records added since the last search, and places them among the rows.
func (t *Tail) prepare(ix *Index) error {
	if len(t.added) > 0 {
		added := sortedDocs(t.added)
		t.added = nil
		t.read(added)
		t.docs = mergedDocs(t.docs, added)
	}
	return t.placeDocs(ix)
}

// sortedDocs returns docs in the order of their keys, of each key the last.
func sortedDocs(added []tailDoc) []*tailDoc {
	docs := make([]*tailDoc, len(added))
	for i := range added {
		docs[i] = &added[i]
		docs[i].seq = i
	}
	slices.SortFunc(docs, func(a, b *tailDoc) int {
		if c := a.rec.Key.Compare(b.rec.Key); c != 0 {
			return c
		}
		return a.seq - b.seq
	})
	n := 0
	for i, d := range docs {
		if i+1 == len(docs) || docs[i+1].rec.Key != d.rec.Key {
			docs[n] = d
			n++
		}
	}
	return docs[:n]
}

// mergedDocs returns the docs of two lists, in order; for a key that is in both, the newer doc.
func mergedDocs(older, newer []*tailDoc) []*tailDoc {
	if len(older) == 0 {
		return newer
	}
	all := make([]*tailDoc, 0, len(older)+len(newer))
	for _, d := range newer {
		for len(older) > 0 && older[0].rec.Key.Compare(d.rec.Key) <= 0 {
			if older[0].rec.Key != d.rec.Key {
				all = append(all, older[0])
			}
			older = older[1:]
		}
		all = append(all, d)
	}
	return append(all, older...)
}

// read cuts docs into words, many side by side. Each reader has words of its own.
func (t *Tail) read(docs []*tailDoc) {
	n := min(max(len(docs)/docsPerReader, 1), runtime.GOMAXPROCS(0))
	for len(t.readers) < n {
		t.readers = append(t.readers, newTailReader())
	}
	var reading sync.WaitGroup
	for i := range n {
		some := docs[i*len(docs)/n : (i+1)*len(docs)/n]
		if i == n-1 {
			t.readers[i].read(some)
			break
		}
		reading.Go(func() { t.readers[i].read(some) })
	}
	reading.Wait()
}

// tailPlace is the place of a doc of the tail among the rows of an index.
type tailPlace struct {
	before    uint32 // the first row that does not come before it
	folder    uint32 // noFolder for a tombstone
	at        uint32 // the first place, by folder and name, that does not come before it
	isNewer   bool   // that row has its key
	oldFolder uint32 // of that row
	oldLength byte   // its code
}

// placeDocs places the docs that are not placed yet; all, where the index is of another state.
func (t *Tail) placeDocs(ix *Index) error {
	var state stateID
	if ix != nil {
		state = ix.state
	}
	if t.placedBy != state || t.folders == nil {
		t.placedBy, t.folders, t.fresh = state, map[string]uint32{}, 0
		for _, d := range t.docs {
			d.isPlaced = false
		}
	}
	rows, changed := &placer{cursor: cursor{ix: ix}, folder: noFolder}, false
	for _, d := range t.docs {
		if d.isPlaced {
			continue
		}
		if err := t.placeDoc(d, rows); err != nil {
			return err
		}
		d.isPlaced, changed = true, true
	}
	if changed {
		t.sortByName()
	}
	return nil
}

// sortByName brings the docs into the order of their folders and names.
func (t *Tail) sortByName() {
	t.order = make([]uint32, 0, len(t.docs)) // a new slice: a search may still use the old one
	for i, d := range t.docs {
		if d.rec.Valid() {
			t.order = append(t.order, uint32(i))
		}
	}
	slices.SortFunc(t.order, func(a, b uint32) int {
		x, y := t.docs[a], t.docs[b]
		order := cmp.Or(cmp.Compare(x.place.at, y.place.at),
			cmp.Compare(x.place.folder, y.place.folder))
		if order != 0 {
			return order // mostly, where there are rows; names take longer
		}
		return cmp.Or(strings.Compare(x.naturalName(), y.naturalName()), cmp.Compare(a, b))
	})
}

// naturalName returns the name of a doc as naturalName does, which is done once.
func (d *tailDoc) naturalName() string {
	if d.name == "" {
		d.name = naturalName(nameOf(d.rec.Key.String()))
	}
	return d.name
}

func (t *Tail) placeDoc(d *tailDoc, rows *placer) (err error) {
	d.place = tailPlace{}
	p, key, ix := &d.place, d.rec.Key.String(), rows.ix
	if ix != nil {
		if p.before, p.isNewer, err = rows.seek(key); err != nil {
			return err
		}
	}
	if p.isNewer {
		if p.oldLength, err = ix.lengthCode(p.before); err != nil {
			return err
		}
		if p.oldFolder, err = ix.folder(p.before); err != nil {
			return err
		}
	}
	switch {
	case !d.rec.Valid():
		p.folder = noFolder
		return nil
	case p.isNewer:
		p.folder = p.oldFolder
		p.at, err = placeOf(ix, p.before)
		return err
	}
	if p.folder, err = t.folderID(ix, folderOf(key)); err == nil {
		p.at, err = rows.find(p.folder, d)
	}
	return err
}

// folderID returns the number of a folder, and a new one to a folder that the index does not have.
func (t *Tail) folderID(ix *Index, name string) (uint32, error) {
	if id, ok := t.folders[name]; ok {
		return id, nil
	}
	known := 0
	if ix != nil && ix.rows > 0 {
		id, same, err := ix.folderNamed(name)
		if err != nil {
			return 0, err
		}
		if same {
			t.folders[name] = uint32(id)
			return uint32(id), nil
		}
		known = ix.folderCount()
	}
	id := uint32(known) + t.fresh
	t.fresh++
	t.folders[name] = id
	return id, nil
}
