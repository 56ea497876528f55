package fts

import "github.com/set-memory/mem/internal/store/fts/analyzer"

// folderScore scores folders by one term, as if each were one long text. In a folder's accumulator,
// covered is how often the term stands in it so far.
type folderScore struct {
	*scorer
	touched []uint32
	last    uint32 // the folder of the last doc: mostly that of the next, too
	pending float64
}

func (f *folderScore) add(id uint32, tf counts) {
	if id != f.last {
		f.flush()
		f.last = id
	}
	if tf == 1 {
		f.pending += f.model.fields[analyzer.Text]
	} else {
		f.pending += f.model.frequency(tf)
	}
}

func (f *folderScore) flush() {
	if f.last == noFolder {
		f.pending = 0
		return
	}
	a := f.byFolder.accumulator(f.last)
	if a.covered == 0 {
		f.touched = append(f.touched, f.last)
	}
	a.covered, f.pending = a.covered+f.pending, 0
}

// finish adds what the term is worth in the folders that have it.
func (f *folderScore) finish(t *scoredTerm) error {
	f.flush()
	for _, id := range f.touched {
		a := f.byFolder.accumulator(id)
		v, err := f.value(id, t, a.covered)
		if err != nil {
			return err
		}
		a.self, a.covered = a.self+v, 0
	}
	return nil
}

func (f *folderScore) value(id uint32, t *scoredTerm, frequency float64) (float64, error) {
	corpus := f.index.corpus
	words, err := corpus.folderWords(id)
	mean := max(float64(corpus.words)/float64(max(corpus.folders, 1)), 1)
	return t.worth() * f.model.saturate(frequency, f.model.norm(float64(words), mean)), err
}
