package fts

import "encoding/binary"

// fetched is what scoring needs of some docs: the codes of their lengths, and their folders.
type fetched struct {
	codes []byte
	homes []uint32
}

// closeTogether is how many rows there may be to each doc for all to be fetched as one.
const closeTogether = 16

// fetch gets ready what scoring needs of some docs, in order.
func (s *search) fetch(docs []posting) error {
	s.codes, s.homes = s.codes[:0], s.homes[:0]
	if n := len(docs); n > 0 && docs[n-1].row < s.rows && int(docs[n-1].row-docs[0].row) < closeTogether*n {
		return s.fetchRange(docs, docs[0].row, docs[n-1].row+1)
	}
	for _, p := range docs {
		code, err := s.lengthCode(p.row)
		if err != nil {
			return err
		}
		home, err := s.folder(p.row)
		if err != nil {
			return err
		}
		s.codes, s.homes = append(s.codes, code), append(s.homes, home)
	}
	return nil
}

// fetchRange does so for rows that lie close together.
func (s *search) fetchRange(docs []posting, from, to uint32) error {
	codes, err := s.ix.part(secLengths, int(from), int(to))
	if err != nil {
		return err
	}
	homes, err := s.ix.part(secFolders, 4*int(from), 4*int(to))
	if err != nil {
		return err
	}
	paths := s.ix.paths()
	for _, p := range docs {
		home := binary.LittleEndian.Uint32(homes[4*(p.row-from):])
		switch {
		case s.isScope(p.row):
			home = noFolder
		case int(home) >= paths:
			return stale("leads out of bounds")
		}
		s.codes, s.homes = append(s.codes, codes[p.row-from]), append(s.homes, home)
	}
	return nil
}
