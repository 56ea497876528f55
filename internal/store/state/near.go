package state

import (
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/log"
)

// nearLooked is how many rows are compared with a text.
const nearLooked = 6

// FindNear returns what a state has that says nearly the same as a text and meets the conditions,
// in no order. It looks at the likeliest rows of the full text, and opens the columns only if there
// are any. The error says why one of these cannot be used.
func FindNear(file *File, near *fts.Near, w backend.Where) (list []log.Record, err error) {
	view := NewView(file, nil, nil)
	defer view.Close()
	s := &search{view: view, where: w}
	defer s.close()
	if s.words, err = fts.Open(file.dir, file.Size, file.Sum); err != nil {
		return nil, err
	}
	err = disk.Guard(func() error {
		rows, err := near.Rows(s.words)
		if err != nil || len(rows) == 0 {
			return err
		}
		list, err = s.nearRows(near, rows)
		return err
	})
	return list, err
}

// nearRows returns the records of the rows that are near.
func (s *search) nearRows(near *fts.Near, rows []int) (list []log.Record, err error) {
	if s.table, err = s.view.columns(); err != nil {
		return nil, err
	}
	looked := 0
	for _, row := range rows {
		if looked == nearLooked {
			break
		}
		ok, _, err := s.mayShowRow(row)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		looked++
		rec, err := s.row(row)
		if err != nil {
			return nil, err
		}
		if near.IsNear(rec) {
			list = append(list, rec)
		}
	}
	return list, nil
}
