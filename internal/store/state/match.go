package state

import (
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/log"
)

// How many rows are compared at most with a text, and with the names of a file; of the latter so
// many are asked whether they may be shown.
const nearLooked, namingLooked, namingAsked = 6, 1 << 10, 1 << 12

// Match returns the records of a state that match and meet the conditions, in no order. The error
// says why the sidecar cannot be used: then only records that name a file are found.
func Match(file *File, m backend.Matcher, w backend.Where) (list []log.Record, err error) {
	list, err = matchIndexed(file, m, w)
	if _, naming := m.(*backend.Naming); !naming || err == nil {
		return list, err
	}
	list = nil
	passes := func(line []byte) bool { return m.MayMatch(log.ContentIn(line)) }
	for rec, err := range log.Grep(file.Reader(), FileName, log.Start{}, passes) {
		if err == nil && backend.Matches(m, rec) {
			list = append(list, rec.Clone())
		}
	}
	return list, err
}

// matchIndexed is Match by a sidecar.
func matchIndexed(file *File, m backend.Matcher, w backend.Where) (list []log.Record, err error) {
	view := NewView(file, nil, nil)
	defer view.Close()
	s := &search{view: view, where: w}
	defer s.close()
	find, most := s.namingRows, namingLooked
	if _, near := m.(*fts.Near); near {
		if s.words, err = file.fullText(); err != nil {
			return nil, err
		}
		find, most = s.nearRows, nearLooked
	}
	err = disk.Guard(func() error {
		rows, err := find(m)
		if err != nil || len(rows) == 0 {
			return err
		}
		list, err = s.matching(m, rows, most)
		return err
	})
	return list, err
}

func (s *search) nearRows(m backend.Matcher) ([]int, error) {
	return m.(*fts.Near).Rows(s.words)
}

// namingRows returns the lines that name a file, each once, the closest names first: many may name
// another file of the same last element.
func (s *search) namingRows(m backend.Matcher) (rows []int, err error) {
	if s.table, err = s.view.columns(); err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	for _, name := range m.(*backend.Naming).Names {
		more, err := s.table.Naming(name)
		if err != nil {
			return nil, err
		}
		for _, row := range more {
			if !seen[row] && len(rows) < namingAsked {
				seen[row], rows = true, append(rows, row)
			}
		}
	}
	return rows, nil
}

// matching returns the records of the rows that match, of which so many are looked at.
func (s *search) matching(m backend.Matcher, rows []int, most int) (
	list []log.Record, err error) {
	if s.table, err = s.view.columns(); err != nil {
		return nil, err
	}
	looked := 0
	for _, row := range rows {
		if looked == most {
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
		if backend.Matches(m, rec) {
			list = append(list, rec)
		}
	}
	return list, nil
}
