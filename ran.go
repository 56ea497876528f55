package mem

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
)

// Ran is a line of the journal: an operation of this store that ended.
type Ran struct {
	Op   string        // its name, as in Store.Begin
	TS   string        // of the newest envelope that it wrote, or read; "" for none
	Took time.Duration // 0 where Options.Clock was nil
	Code Kind          // of its failure; KindDone for none, "" for one that has none in the journal
}

// Journaled returns what ran, oldest first, as far back as the journal goes: it keeps the newest
// 512 KiB to 1 MiB. Lines that cannot be read are left out. The error is the file system's.
func (s *Store) Journaled() (list []Ran, err error) {
	text, err := s.Journal(backend.OpsFile).Read(opsLimit)
	for line := range bytes.Lines(text) {
		if r, ok := ranOf(line); ok {
			list = append(list, r)
		}
	}
	return list, err
}

// ranOf returns what a line of the journal says, if it is one.
func ranOf(line []byte) (r Ran, ok bool) {
	var x struct {
		Op, TS, Code, Error string
		MS                  float64
	}
	if json.Unmarshal(line, &x) != nil || x.Op == "" {
		return r, false
	}
	r = Ran{x.Op, x.TS, time.Duration(x.MS * float64(time.Millisecond)), Kind(x.Code)}
	if x.Error == "" {
		r.Code = KindDone
	}
	return r, true
}
