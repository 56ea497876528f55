package filestore

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Lost describes lines that cannot be read any more, or that no checksum covers: by it their sound
// copies are recognized in index and state.
type Lost struct {
	sums   map[string]bool // checksums that stand in them
	writes map[write]bool  // key and ts that stand in them
	blank  bool            // one of them shows neither checksum, nor key and ts
	// Those that were tombstones, of which there is never a copy.
	tombstones []*log.Damage
}

type write struct {
	key keypath.Key
	ts  log.Stamp
}

// Add takes a line in, from the bytes that are left of it at a position.
func (l *Lost) Add(raw []byte, pos log.Pos) {
	first := true
	for piece := range pieces(raw) {
		if first || !log.ShownKey(piece).IsZero() {
			l.addLine(piece)
		}
		first = false
	}
	l.tombstones = WithDamage(l.tombstones, &log.Damage{Pos: pos, Raw: raw})
}

func (l *Lost) addLine(raw []byte) {
	sum, key, ts := log.SumIn(raw), log.ShownKey(raw), log.ShownTime(raw)
	if sum != "" {
		if l.sums == nil {
			l.sums = map[string]bool{}
		}
		l.sums[sum] = true
	}
	if !key.IsZero() && ts != 0 {
		l.addWrite(key, ts)
	} else if sum == "" {
		l.blank = true
	}
}

// AddUnknown says that lines are lost of which nothing is known.
func (l *Lost) AddUnknown() { l.blank = true }

func (l *Lost) addWrite(key keypath.Key, ts log.Stamp) {
	if l.writes == nil {
		l.writes = map[write]bool{}
	}
	l.writes[write{key, ts}] = true
}

// addUnsealed takes a record in whose line has no checksum.
func (l *Lost) addUnsealed(rec log.Record) { l.addWrite(rec.Key, rec.TS) }

// isCopy reports whether a sealed record is one of the lost lines.
func (l *Lost) isCopy(rec log.Record) bool {
	return l.sums[log.Sum(rec.Line)] || l.writes[write{rec.Key, rec.TS}]
}

// CopySearch looks for sound copies of what a history has lost.
type CopySearch struct {
	Dir  *disk.Dir
	Tree *index.Tree
	Lost Lost
	// Newest returns the newest record that the history is known to have of a key. One that it has
	// besides is found in the end.
	Newest func(keypath.Key) (log.Record, bool, error)
	// Cuts says that lines without a checksum will be cut from the history.
	Cuts   bool
	Shared bool // git replaces the history

	copies map[write]log.Record // the place is that of the copy
}

// Index looks in index/, where lines that are newer than the history count only if one is lost of
// which nothing is left, and only as they were written.
func (s *CopySearch) Index() error {
	if len(s.Lost.sums) == 0 && !s.Lost.blank {
		for w := range s.Lost.writes {
			if rec, err := s.Tree.Get(w.key); err == nil && s.Lost.isCopy(rec) {
				rec.Pos.File = index.DirName
				s.add(rec)
			} else if disk.Failed(err) {
				return err
			}
		}
		return nil
	}
	for entry, err := range s.Tree.Walk() {
		if err != nil {
			return err
		}
		if entry.Kind != index.KindFile {
			continue
		}
		rec, err := s.Tree.GetPath(entry.Path)
		if disk.Failed(err) {
			return err
		}
		if err != nil {
			continue
		}
		rec.Pos.File = index.DirName
		written := string(rec.Key.Path()) == entry.Path &&
			bytes.Equal(rec.Line, rec.Envelope.Line())
		if err := s.consider(rec, s.Lost.blank && written); err != nil {
			return err
		}
	}
	return nil
}

// State looks in state.jsonl, of which every line was in the history once. It may be the state of
// another copy of the store, so a line that is not the newest of its key counts, too.
func (s *CopySearch) State() error {
	for rec, err := range stateLines(s.Dir) {
		if err != nil {
			return err
		}
		old, known, err := s.Newest(rec.Key)
		if err != nil {
			return err
		}
		if !rec.Unsealed && (!known || !bytes.Equal(old.Line, rec.Line)) {
			s.Lost.addWrite(rec.Key, rec.TS)
			s.add(rec)
		}
	}
	return nil
}

// consider takes a record if it is a copy of a lost line or, where unknown ones count, newer than
// what the history is known to have.
func (s *CopySearch) consider(rec log.Record, unknown bool) error {
	if s.Lost.isCopy(rec) {
		s.add(rec)
		return nil
	}
	if !unknown {
		return nil
	}
	old, known, err := s.Newest(rec.Key)
	if err == nil && (!known || rec.Wins(old)) {
		s.add(rec)
	}
	return err
}

func (s *CopySearch) add(rec log.Record) {
	if rec.Unsealed {
		return
	}
	if s.copies == nil {
		s.copies = map[write]log.Record{}
	}
	e := rec.Envelope.Clone()
	s.copies[write{e.Key, e.TS}] = log.Record{Envelope: e, Line: e.Line(), Pos: rec.Pos}
}

// Prove takes in a record whose line is lost.
func (s *CopySearch) Prove(rec log.Record) {
	s.Lost.addWrite(rec.Key, rec.TS)
	s.add(rec)
}

// Seal takes in lines without a checksum as copies of themselves, after better ones.
func (s *CopySearch) Seal(unsealed []log.Envelope) {
	for _, e := range unsealed {
		s.Lost.addWrite(e.Key, e.TS)
		if w := (write{e.Key, e.TS}); s.copies[w].Key.IsZero() {
			s.add(log.Record{Envelope: e})
		}
	}
}

// Found returns the lines found that the history lacks, oldest first.
func (s *CopySearch) Found() ([]log.Envelope, error) {
	if len(s.copies)+len(s.Lost.tombstones) == 0 {
		return nil, nil
	}
	wanted := log.Wanted{}
	for w := range s.copies {
		wanted.Add(w.key)
	}
	for _, d := range s.Lost.tombstones {
		for _, lost := range ShownTombstones(d.Raw, d.Pos) {
			wanted.Add(lost.Key)
		}
	}
	newest, purged := state.Fold{}, map[keypath.Key]content.Reach{}
	for rec, err := range find(s.Dir, wanted) {
		if err != nil && !isDamage(err) {
			return nil, err
		}
		if err != nil {
			continue
		}
		w := write{rec.Key, rec.TS}
		c, ok := s.copies[w]
		if ok && (!rec.Unsealed || !s.Cuts && bytes.Equal(rec.Line, c.Line)) {
			delete(s.copies, w)
		}
		newest.Add(rec)
		if content.IsPurgeMark(rec) {
			reach := content.ReachOf(rec.Envelope)
			reach.Add(purged[rec.Key])
			purged[rec.Key] = reach
		}
	}
	for w, c := range s.copies {
		reach, was := purged[w.key]
		if was && reach.Takes(c.Envelope) ||
			!s.Lost.isCopy(c) && newest[w.key].TS > w.ts {
			delete(s.copies, w)
		}
	}
	if err := s.addTombstones(newest); err != nil {
		return nil, err
	}
	found := slices.SortedFunc(maps.Values(s.copies), func(a, b log.Record) int {
		return cmp.Or(cmp.Compare(a.TS, b.TS), a.Key.Compare(b.Key))
	})
	list := make([]log.Envelope, len(found))
	for i, c := range found {
		list[i] = c.Envelope
	}
	return list, nil
}

// addTombstones adds the lost tombstones of keys whose newest record is live; see Buried.
func (s *CopySearch) addTombstones(newest state.Fold) error {
	for w, c := range s.copies {
		if w.ts > newest[w.key].TS {
			newest[w.key] = c
		}
	}
	lost, err := Files{Dir: s.Dir, Shared: s.Shared}.Buried(s.Lost.tombstones, NewestOf(newest))
	for _, rec := range lost {
		s.add(rec)
	}
	return err
}
