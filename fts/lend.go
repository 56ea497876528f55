package fts

// lend lets every doc with a score of its own lend a part of it to its neighbours in the same folder: what is said before and after
// belongs together, and an answer often lacks the words of its question.
func (s *search) lend() error {
	for _, doc := range s.found {
		own := s.scores.at(doc).self
		s.reach(doc, own)
		err := s.neighbours(doc, func(to uint32, share float64) { s.reach(to, share*own) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *search) reach(doc uint32, score float64) {
	if score == 0 {
		return
	}
	c := s.scores.at(doc)
	if c.sum == 0 {
		s.reached = append(s.reached, doc)
	}
	c.sum += score
}

// neighbours calls fn with the docs near one that lie in its folder, and the share that it lends to each.
func (s *search) neighbours(doc uint32, fn func(to uint32, share float64)) error {
	home, err := s.folder(doc)
	if err != nil || home == noFolder {
		return err
	}
	shares, err := s.shares(doc)
	if err != nil {
		return err
	}
	err = s.along(doc, home, s.next, func(to uint32, away int) { fn(to, shares[away]) })
	if err != nil {
		return err
	}
	return s.along(doc, home, s.previous, func(to uint32, away int) { fn(to, s.model.near[away]) })
}

// shares gives what a doc lends to those after it.
func (s *search) shares(doc uint32) ([2]float64, error) {
	shares := s.model.near
	asks, err := s.asks(doc)
	if asks {
		shares[0] = s.model.answer
	}
	return shares, err
}

// along goes from a doc in one direction, and calls fn with the two next docs, as far as they lie in its folder.
func (s *search) along(doc, home uint32, step func(uint32) (uint32, bool), fn func(to uint32, away int)) error {
	for away := range 2 {
		var ok bool
		if doc, ok = step(doc); !ok {
			return nil
		}
		id, err := s.folder(doc)
		if err != nil {
			return err
		}
		if id == home {
			fn(doc, away)
		}
	}
	return nil
}

// favour adds to the records of speakers whom the query names, and to all records the score of their folder.
func (s *search) favour() error {
	for i := range s.speakers {
		sp := &s.speakers[i]
		for _, doc := range s.reached {
			tf, err := s.has(&sp.scored, doc)
			if err != nil {
				return err
			}
			if tf > 0 {
				s.scores.at(doc).sum += s.model.speaker * sp.idf
			}
		}
	}
	for _, doc := range s.reached {
		id, err := s.folder(doc)
		if err != nil {
			return err
		}
		if id != noFolder {
			s.scores.at(doc).sum += s.model.folder * s.byPath.at(id).self
		}
	}
	return nil
}
