package fts

import (
	"math"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// space is what one search looks at: the rows of the sidecar that lie in its scope and that nothing has replaced, and the records of
// the tail. Both are numbered together, as docs: rows first.
type space struct {
	ix    *Index // nil where there is no sidecar
	tail  *Tail
	rows  uint32
	spans []span
	scope keypath.Prefix

	gone   []uint64 // a bit for each row that the tail replaces
	lost   []uint32 // those in scope, in order
	placed []placed // of each doc of the tail
	fresh  uint32   // folders that only the tail has

	docs    int // in scope
	words   int // of those
	folders int // that they lie in
	changed map[uint32]folder
}

// span is a range of rows.
type span struct{ from, to uint32 }

// placed is where a doc of the tail stands.
type placed struct {
	before uint32 // the first row that does not come before it
	folder uint32
	live   bool // in scope, and no tombstone
}

// noFolder is that of the record whose key is the scope itself: it lies in none of the folders below the scope.
const noFolder = math.MaxUint32

// newSpace lays the scope of a query over sidecar and tail.
func newSpace(ix *Index, tail *Tail, q *Query) (*space, error) {
	tail.prepare(q)
	s := &space{ix: ix, tail: tail, scope: q.scope, changed: map[uint32]folder{}}
	if ix != nil {
		s.rows = ix.rows
	}
	for _, step := range [...]func() error{s.limit, s.measure, s.countFolders, s.place, s.settleFolders} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *space) everything() bool { return s.scope.String() == "/" }

// limit finds the rows of the scope: the key itself, and what begins with it and a slash; other keys may stand in between.
func (s *space) limit() error {
	if s.everything() || s.rows == 0 {
		s.spans = []span{{0, s.rows}}
		return nil
	}
	key := s.scope.String()
	var rows [4]uint32
	for i, bound := range [...]string{key, key + "\x00", key + "/", key + "0"} {
		var err error
		if rows[i], err = s.ix.from(bound); err != nil {
			return err
		}
	}
	s.spans = []span{{rows[0], rows[1]}, {rows[2], rows[3]}}
	return nil
}

// measure counts the rows in scope and their words, as if there were no tail.
func (s *space) measure() error {
	if s.rows == 0 {
		return nil
	}
	for _, sp := range s.spans {
		from, err := s.ix.wordsBefore(sp.from)
		if err != nil {
			return err
		}
		to, err := s.ix.wordsBefore(sp.to)
		if err != nil {
			return err
		}
		s.docs += int(sp.to) - int(sp.from)
		s.words += int(to) - int(from)
	}
	return nil
}

// countFolders counts the folders below the scope, as if there were no tail.
func (s *space) countFolders() error {
	switch {
	case s.rows == 0:
		return nil
	case s.everything():
		s.folders = s.ix.paths()
		return nil
	}
	key := s.scope.String()
	from, _, err := s.ix.pathOf(key + "/")
	if err != nil {
		return err
	}
	to, _, err := s.ix.pathOf(key + "0")
	s.folders = to - from
	return err
}

// place finds where the docs of the tail stand between the rows, which rows they replace, and what that changes in the numbers.
func (s *space) place() error {
	n := s.tail.Len()
	if n == 0 {
		return nil
	}
	s.placed = make([]placed, n)
	s.gone = make([]uint64, (s.rows+63)/64)
	rows := &cursor{ix: s.ix}
	named := map[string]uint32{}
	for i := range s.placed {
		rec := &s.tail.docs[i].rec
		p := placed{before: 0, live: rec.Valid() && s.scope.Holds(rec.Key), folder: noFolder}
		key := rec.Key.String()
		if err := s.replace(key, rows, &p); err != nil {
			return err
		}
		if p.live {
			if err := s.join(key, &p, named); err != nil {
				return err
			}
			s.change(p.folder, 1, lengthOf(s.tail.docs[i].length))
		}
		s.placed[i] = p
	}
	return nil
}

// replace finds the row that a doc of the tail stands before or in the place of.
func (s *space) replace(key string, rows *cursor, p *placed) (err error) {
	if s.rows == 0 {
		return nil
	}
	same := false
	if p.before, same, err = rows.seek(key); err != nil || !same {
		return err
	}
	s.gone[p.before/64] |= 1 << (p.before % 64)
	if !s.inScope(p.before) {
		return nil
	}
	s.lost = append(s.lost, p.before)
	code, err := s.ix.lengthCode(p.before)
	if err != nil {
		return err
	}
	id, err := s.folder(p.before)
	s.change(id, -1, -lengthOf(code))
	return err
}

// join finds the folder of a doc of the tail. Those found already are in named.
func (s *space) join(key string, p *placed, named map[string]uint32) error {
	if key == s.scope.String() {
		return nil
	}
	name := folderOf(key)
	id, ok := named[name]
	if !ok {
		var err error
		if id, err = s.folderNamed(name); err != nil {
			return err
		}
		named[name] = id
	}
	p.folder = id
	return nil
}

// folderNamed gives the number of a folder, and a new one to a folder that the sidecar does not have.
func (s *space) folderNamed(name string) (uint32, error) {
	known := 0
	if s.rows > 0 {
		id, same, err := s.ix.pathOf(name)
		if err != nil || same {
			return uint32(id), err
		}
		known = s.ix.paths()
	}
	s.fresh++
	return uint32(known) + s.fresh - 1, nil
}

func (s *space) change(folder uint32, docs, words int) {
	s.docs += docs
	s.words += words
	f := s.changed[folder]
	f.rows += uint32(docs) // wraps for less, as it does where it is added
	f.words += uint64(words)
	s.changed[folder] = f
}

// settleFolders counts the folders that the tail has begun, and not those that it has emptied.
func (s *space) settleFolders() error {
	for id := range s.changed {
		if id == noFolder {
			continue
		}
		was, err := s.written(id)
		if err != nil {
			return err
		}
		now := was.rows + s.changed[id].rows
		switch {
		case was.rows > 0 && now == 0:
			s.folders--
		case was.rows == 0 && now > 0:
			s.folders++
		}
	}
	return nil
}

// written gives a folder as the sidecar has it.
func (s *space) written(id uint32) (folder, error) {
	if s.rows == 0 || int(id) >= s.ix.paths() {
		return folder{}, nil
	}
	return s.ix.path(int(id))
}

// folderWords gives the words of a folder.
func (s *space) folderWords(id uint32) (int, error) {
	f, err := s.written(id)
	return int(f.words + s.changed[id].words), err
}

// size is the number of docs, in scope or not.
func (s *space) size() int { return int(s.rows) + len(s.placed) }

func (s *space) inScope(row uint32) bool {
	for _, sp := range s.spans {
		if row >= sp.from && row < sp.to {
			return true
		}
	}
	return false
}

// isLive reports whether a doc is in scope and the newest of its key.
func (s *space) isLive(doc uint32) bool {
	if doc >= s.rows {
		return s.placed[doc-s.rows].live
	}
	return s.inScope(doc) && !s.isGone(doc)
}

func (s *space) isGone(row uint32) bool {
	return s.gone != nil && s.gone[row/64]&(1<<(row%64)) != 0
}

// folder gives the folder of a doc.
func (s *space) folder(doc uint32) (uint32, error) {
	switch {
	case doc >= s.rows:
		return s.placed[doc-s.rows].folder, nil
	case s.isScope(doc):
		return noFolder, nil
	}
	return s.ix.folder(doc)
}

// isScope reports whether a row is that of the scope's own key.
func (s *space) isScope(row uint32) bool {
	return len(s.spans) > 1 && row >= s.spans[0].from && row < s.spans[0].to
}

// stamp gives ts of a doc.
func (s *space) stamp(doc uint32) (log.Stamp, error) {
	if doc >= s.rows {
		return s.tail.docs[doc-s.rows].rec.TS, nil
	}
	return s.ix.stamp(doc)
}

// lengthCode gives the code of the words of a doc.
func (s *space) lengthCode(doc uint32) (byte, error) {
	if doc >= s.rows {
		return s.tail.docs[doc-s.rows].length, nil
	}
	return s.ix.lengthCode(doc)
}

// asks reports whether a doc ends in a question.
func (s *space) asks(doc uint32) (bool, error) {
	if doc >= s.rows {
		return s.tail.docs[doc-s.rows].asks, nil
	}
	return s.ix.asks(doc)
}

// paths is the number of folders, in scope or not.
func (s *space) paths() int {
	n := int(s.fresh)
	if s.rows > 0 {
		n += s.ix.paths()
	}
	return n
}
