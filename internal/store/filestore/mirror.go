package filestore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Mirror keeps the index equal to the log, for a writer. Its errors wrap backend.ErrStored: by then
// the records are in the log.
type Mirror struct {
	Tree *index.Tree
	Kept []Kept // what a person had changed, and was replaced

	dir *disk.Dir
	now time.Time

	taken bool // git has taken away what the log has no longer, and has it
}

// Kept is an index file that was not mem's, and where a copy of it went.
type Kept struct {
	File string `json:"file"` // below the root
	Copy string `json:"copy"` // in quarantine/
}

// follow writes the appended records to the index, one directory after the other; of several
// records of a key the newest. What a person changed in a file that it replaces goes to
// quarantine/. A crash on the way leaves some of the files, of any of the records: the log has them
// all.
func (m *Mirror) follow(envelopes []log.Envelope, buf []byte, ends []int) error {
	if err := m.Tree.Make(); err != nil {
		return asStored(err)
	}
	last := make(map[keypath.Key]int, len(envelopes))
	for i, e := range envelopes {
		if j, ok := last[e.Key]; !ok || e.TS >= envelopes[j].TS {
			last[e.Key] = i
		}
	}
	for _, i := range byDirectory(envelopes, last) {
		_, err := m.Fix(log.Record{Envelope: envelopes[i], Line: lineAt(buf, ends, i)})
		if err != nil {
			return err
		}
	}
	return nil
}

// byDirectory returns the numbers of the last records of each key, those whose files are in one
// directory together: to open one takes longer than to write a file.
func byDirectory(envelopes []log.Envelope, last map[keypath.Key]int) []int {
	list := make([]int, 0, len(last))
	folders := make([]string, len(envelopes))
	for i, e := range envelopes {
		if last[e.Key] == i {
			list, folders[i] = append(list, i), path.Dir(e.Key.String())
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(folders[a], folders[b]) })
	return list
}

func lineAt(buf []byte, ends []int, i int) []byte {
	from := 0
	if i > 0 {
		from = ends[i-1]
	}
	return buf[from : ends[i]-1]
}

// put writes or removes the index file of an envelope.
func (m *Mirror) put(e log.Envelope, line []byte) (err error) {
	// A crash before this leaves the old file, or none. The log has the record, and the next writer
	// replays what the log has after the watermark.
	if e.Valid() {
		err = m.Tree.Put(e.Key, line)
	} else {
		err = m.Tree.Remove(e.Key)
	}
	return asStored(err)
}

// reindex makes the tree equal to the view. What a person changed in a file goes to quarantine/
// before the log's record replaces it; files that are no envelope are left to fsck.
func (m *Mirror) reindex(v *View) error {
	live, ours := map[string]bool{}, map[string]bool{}
	for key := range v.Since() {
		ours[string(key.Path())] = true
	}
	for rec, err := range v.Live() {
		if err != nil {
			return err
		}
		if !rec.Key.Class().Mirrored() {
			continue
		}
		live[string(rec.Key.Path())] = true
		if _, err := m.Fix(rec); err != nil {
			return err
		}
	}
	// Without index/ the next writer would take it for removed, and fold the whole history.
	if err := m.Tree.Make(); err != nil {
		return asStored(err)
	}
	for entry, err := range m.Tree.Walk() {
		if err != nil {
			return asStored(err)
		}
		if entry.Kind != index.KindFile || live[entry.Path] {
			continue
		}
		if err := m.RemoveStale(entry.Path, v, ours[entry.Path]); err != nil {
			return err
		}
	}
	return nil
}

// RemoveStale removes the file of a key that is not live. What the history does not have, or has no
// longer because its line was damaged, goes to quarantine/ first: it may be the last sound copy. A
// file that is no envelope is left to fsck, unless its path is that of a key in the history (ours):
// then it is what a power cut made of an index file.
func (m *Mirror) RemoveStale(name string, v *View, ours bool) error {
	rec, err := m.Tree.GetPath(name)
	switch {
	case disk.Failed(err):
		return asStored(err)
	case err != nil && !errors.Is(err, index.ErrEdited) &&
		!(ours && errors.Is(err, index.ErrForeign)):
		return nil
	}
	last, known := v.Since()[rec.Key]
	if err != nil || !m.isTaken(rec) && (!known || rec.TS > last.TS) {
		if err := m.quarantine(name); err != nil {
			return err
		}
	}
	// A crash before this leaves the file, and perhaps its copy: the next look finds it again.
	if err := m.Tree.RemovePath(name); err != nil {
		return asStored(err)
	}
	return nil
}

// Fix makes the file of one record right; classes without files are skipped. A foreign file in its
// place goes to quarantine/ first. It reports whether it wrote or removed something.
func (m *Mirror) Fix(rec log.Record) (bool, error) {
	if !rec.Key.Class().Mirrored() {
		return false, nil
	}
	have, err := m.Tree.Get(rec.Key)
	switch {
	case err == nil && rec.Valid() && string(have.Line) == string(rec.Line):
		return false, nil
	case disk.IsNotExist(err) && !rec.Valid():
		return false, nil
	case disk.IsNotExist(err), err == nil && !have.Unsealed && have.TS < rec.TS,
		err == nil && m.isTaken(have):
	case err == nil, errors.Is(err, index.ErrEdited), errors.Is(err, index.ErrForeign):
		if err := m.keepEdit(rec); err != nil {
			return false, err
		}
	case disk.Failed(err):
		return false, asStored(err)
	}
	return true, m.put(rec.Envelope, rec.Line)
}

// isTaken reports whether a sound file need not be kept, because git has what it holds.
func (m *Mirror) isTaken(rec log.Record) bool { return m.taken && !rec.Unsealed }

// keepEdit copies the file in a record's place into quarantine/, unless it has the record's
// content: then the edit was taken in.
func (m *Mirror) keepEdit(rec log.Record) error {
	name := string(rec.Key.Path())
	text, err := m.Tree.ReadPath(name)
	if err != nil {
		return asStored(err)
	}
	if edited, ok := contentOf(text); ok && isTakenIn(edited, rec.Content) {
		return nil
	}
	return m.quarantine(name)
}

// isTakenIn reports whether a stored content is an edit that was taken in: the same, or the same
// with the time of the version that was edited.
func isTakenIn(edited, stored []byte) bool {
	f := content.Parse(stored)
	return bytes.Equal(edited, stored) ||
		f.HasCreated && bytes.Equal(content.KeepTime(edited, f.Created), stored)
}

// contentOf returns the content in the text of an index file, as compact JSON.
func contentOf(text []byte) (stored []byte, ok bool) {
	line, err := log.CompactLine(nil, text)
	if err != nil {
		return nil, false
	}
	for name, value := range jsontext.Members(line) {
		if name == "content" {
			stored = value
		}
	}
	return stored, stored != nil
}

// quarantine copies an index file into quarantine/. One that a power cut left empty, or full of
// zeros, holds nothing to keep.
func (m *Mirror) quarantine(name string) error {
	text, err := m.Tree.ReadPath(name)
	if err == nil && len(bytes.Trim(text, "\x00")) > 0 {
		k := Kept{File: index.DirName + "/" + name}
		k.Copy, err = log.Quarantine(m.dir, k.File, text, m.now)
		m.Kept = append(m.Kept, k)
	}
	if err != nil {
		return asStored(err)
	}
	return nil
}

// indexError is an error of the index, which follows the log: the lines are stored.
type indexError struct{ error }

func (e *indexError) Error() string { return fmt.Sprintf("%v: %v", backend.ErrStored, e.error) }

func (e *indexError) Unwrap() []error { return []error{backend.ErrStored, e.error} }

// asStored makes an error of the index wrap backend.ErrStored.
func asStored(err error) error {
	if err != nil {
		return &indexError{err}
	}
	return nil
}
