package fts

import "github.com/set-memory/mem/internal/store/fts/analyzer"

// spread adds a part of every doc's own score to its neighbors in the same folder: messages before
// and after belong together, and an answer often lacks the words of its question.
func (s *scorer) spread() error {
	for _, doc := range s.found {
		own := s.docs.accumulator(doc).self
		s.addScore(doc, own)
		n, err := s.index.neighborsOf(doc)
		if err != nil {
			return err
		}
		shares, err := s.sharesAfter(doc)
		if err != nil {
			return err
		}
		for away, to := range n.after[:n.afters] {
			s.addScore(to, shares[away]*own)
		}
		for away, to := range n.before[:n.befores] {
			s.addScore(to, s.model.neighbor[away]*own)
		}
	}
	return nil
}

func (s *scorer) addScore(doc uint32, score float64) {
	if score == 0 {
		return
	}
	a := s.docs.accumulator(doc)
	if a.sum == 0 {
		s.reached = append(s.reached, doc)
	}
	a.sum += score
}

// sharesAfter returns what the docs after one get of its score.
func (s *scorer) sharesAfter(doc uint32) ([2]float64, error) {
	shares := s.model.neighbor
	m, err := s.index.marks(doc)
	if m.Has(analyzer.MarkAsks) {
		shares[0] = s.model.answer
	}
	return shares, err
}

// boostSpeakers adds to the records of speakers whom the query names.
func (s *scorer) boostSpeakers() error {
	for i := range s.query.speakers {
		sp := &s.query.speakers[i]
		for _, doc := range s.reached {
			tf, err := s.index.countsIn(&sp.openTerm, doc)
			if err != nil {
				return err
			}
			if tf > 0 {
				s.docs.accumulator(doc).sum += s.model.speaker * sp.idf
			}
		}
	}
	return nil
}

// boostFolders adds to all records the score of their folder.
func (s *scorer) boostFolders() error {
	for _, doc := range s.reached {
		id, err := s.index.folder(doc)
		if err != nil {
			return err
		}
		if id != noFolder {
			s.docs.accumulator(doc).sum += s.model.folder * s.byFolder.accumulator(id).self
		}
	}
	return nil
}
