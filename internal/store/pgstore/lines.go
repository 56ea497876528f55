package pgstore

import (
	"io"
	"iter"

	"github.com/set-memory/mem/log"
)

// lines returns a reader of the lines of some records, as a segment has them. Damaged ones are
// among them.
func lines(all iter.Seq2[log.Record, error]) io.ReadCloser {
	next, stop := iter.Pull2(all)
	return &lineReader{next: next, stop: stop}
}

type lineReader struct {
	next func() (log.Record, error, bool)
	stop func()
	rest []byte
}

// Read reads the next bytes.
func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		rec, err, ok := r.next()
		if !ok {
			return 0, io.EOF
		}
		line := rec.Line
		if damage := damageOf(err); damage != nil {
			line, err = damage.Raw, nil
		}
		if err != nil {
			return 0, err
		}
		r.rest = append(line, '\n')
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close ends the reading.
func (r *lineReader) Close() error { r.stop(); return nil }
