package fts

// pathScore scores folders by one term, as if each were one long text. In a folder's cell, covered is how often the term stands in it so
// far.
type pathScore struct {
	*search
	touched []uint32
	last    uint32 // the folder of the last doc: mostly that of the next, too
	pending float64
}

// add counts the term in a folder.
func (p *pathScore) add(id uint32, tf counts) {
	if id != p.last {
		p.flush()
		p.last = id
	}
	if tf == 1 {
		p.pending += p.model.fields[Text]
	} else {
		p.pending += p.model.frequency(tf)
	}
}

func (p *pathScore) flush() {
	if p.last == noFolder {
		p.pending = 0
		return
	}
	c := p.byPath.at(p.last)
	if c.covered == 0 {
		p.touched = append(p.touched, p.last)
	}
	c.covered, p.pending = c.covered+p.pending, 0
}

// finish adds what the term is worth in the folders that have it.
func (p *pathScore) finish(t *scored) error {
	p.flush()
	for _, id := range p.touched {
		c := p.byPath.at(id)
		v, err := p.pathValue(id, t, c.covered)
		if err != nil {
			return err
		}
		c.self, c.covered = c.self+v, 0
	}
	return nil
}

// pathValue is what a term adds to a folder.
func (s *search) pathValue(id uint32, t *scored, frequency float64) (float64, error) {
	words, err := s.folderWords(id)
	mean := max(float64(s.words)/float64(max(s.folders, 1)), 1)
	return t.worth() * s.model.saturate(frequency, s.model.norm(float64(words), mean)), err
}
