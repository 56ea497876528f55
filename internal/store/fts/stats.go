package fts

// corpusStats holds the counts of a corpus: they decide whether a term is rare or a record is long.
type corpusStats struct {
	ix      *Index // nil where there is no sidecar
	rows    uint32 // of that, in scope or not
	docs    int    // in scope
	words   int    // of those
	folders int    // that they lie in
	changed map[uint32]folder
}

func newCorpusStats(ix *Index) corpusStats {
	s := corpusStats{ix: ix, changed: map[uint32]folder{}}
	if ix != nil {
		s.rows = ix.rows
	}
	return s
}

// countScope counts the rows of the sidecar that are in scope, as if there were no tail.
func (s *corpusStats) countScope(scope *rowScope) error {
	if s.rows == 0 {
		return nil
	}
	if err := s.countRows(scope); err != nil {
		return err
	}
	if err := s.countFolders(scope); err != nil {
		return err
	}
	return s.hideRows(scope)
}

// hideRows takes the rows that the caller does not see out of their folders.
func (s *corpusStats) hideRows(scope *rowScope) error {
	for _, sp := range scope.hidden {
		if scope.isOwnRow(sp.from) {
			continue // it lies in none of the folders below the scope
		}
		id, err := s.ix.folder(sp.from)
		if err != nil {
			return err
		}
		words, err := s.wordsIn(sp)
		if err != nil {
			return err
		}
		f := s.changed[id]
		f.rows -= sp.to - sp.from // wraps, as in change
		f.words -= uint64(words)
		s.changed[id] = f
	}
	return nil
}

// wordsIn returns the words of a range of rows.
func (s *corpusStats) wordsIn(sp span) (int, error) {
	from, err := s.ix.wordsBefore(sp.from)
	if err != nil {
		return 0, err
	}
	to, err := s.ix.wordsBefore(sp.to)
	return int(to) - int(from), err
}

func (s *corpusStats) countRows(scope *rowScope) error {
	for _, sp := range scope.spans {
		words, err := s.wordsIn(sp)
		if err != nil {
			return err
		}
		s.docs += int(sp.to) - int(sp.from)
		s.words += words
	}
	return nil
}

func (s *corpusStats) countFolders(scope *rowScope) error {
	if scope.isAll() {
		s.folders = s.ix.folderCount()
		return nil
	}
	key := scope.prefix.String()
	from, _, err := s.ix.folderNamed(key + "/")
	if err != nil {
		return err
	}
	to, _, err := s.ix.folderNamed(key + "0")
	s.folders = to - from
	return err
}

// change takes docs in or out of a folder.
func (s *corpusStats) change(id uint32, docs, words int) {
	s.docs += docs
	s.words += words
	f := s.changed[id]
	f.rows += uint32(docs) // wraps for less, as it does where it is added
	f.words += uint64(words)
	s.changed[id] = f
}

// countChangedFolders counts the folders that the tail has begun, and not those that it has
// emptied.
func (s *corpusStats) countChangedFolders() error {
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

func (s *corpusStats) written(id uint32) (folder, error) {
	if s.rows == 0 || int(id) >= s.ix.folderCount() {
		return folder{}, nil
	}
	return s.ix.folderAt(int(id))
}

func (s *corpusStats) folderWords(id uint32) (int, error) {
	f, err := s.written(id)
	return int(f.words + s.changed[id].words), err
}

// meanLength is that of the texts in scope.
func (s *corpusStats) meanLength() float64 {
	return max(float64(s.words)/float64(max(s.docs, 1)), 1)
}
