package filestore

import (
	"bytes"
	"context"
	"encoding/hex"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

var _ backend.Marker = (*Store)(nil)

// maxMarks is how long the file of marks may be: that of four million lines.
const maxMarks = 256 << 20

// Marks returns the lines that older builds have marked.
func (s *Store) Marks(context.Context) (map[log.Identity]bool, error) {
	r, err := s.root()
	if r == nil || err != nil {
		return nil, err
	}
	return MarksIn(r.Dir)
}

// MarksIn returns the lines that the file of a root marks. A line of the file that is torn marks
// nothing.
func MarksIn(r *disk.Dir) (map[log.Identity]bool, error) {
	text, err := r.ReadFile(MarksFile, maxMarks)
	if err != nil || len(text) == 0 {
		return nil, disk.IgnoreNotExist(err)
	}
	marks := make(map[log.Identity]bool, int64(len(text))/markLine)
	for line := range bytes.Lines(text) {
		if id, ok := log.ParseIdentity(line); ok {
			marks[id] = true
		}
	}
	return marks, nil
}

// MarkImported appends lines to those that are marked, with one write, so that processes do not mix
// theirs.
func (s *Store) MarkImported(_ context.Context, lines []log.Identity) error {
	r, err := rootOrNew(s)
	if err != nil {
		return err
	}
	f, err := r.Append(MarksFile)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	var text []byte
	if fi.Size()%markLine != 0 {
		text = append(text, '\n') // an earlier write was torn
	}
	for _, id := range lines {
		text = append(hex.AppendEncode(text, id[:]), '\n')
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	// A crash before this may lose marks whose lines are not written yet.
	if err := f.Sync(); err != nil {
		return err
	}
	return r.Sync() // a crash before this may lose the name of a new file, and no marked line
}
