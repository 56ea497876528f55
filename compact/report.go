package compact

import "github.com/set-memory/mem/log"

// Report is what a compaction did or, in a dry run, would do.
type Report struct {
	Done     bool   `json:"done"`              // false: nothing needed doing, or only a dry run
	Why      string `json:"why,omitempty"`     // why nothing was done
	Lines    int    `json:"lines"`             // of the live log that were covered
	Bytes    int64  `json:"bytes"`             // likewise
	Keys     int    `json:"keys"`              // live keys, now in state.jsonl
	Expired  int    `json:"expired"`           // expired keys, taken out of state and index
	Repaired int    `json:"repaired"`          // index files missing, changed, or of keys that are not live
	Damaged  int    `json:"damaged"`           // lines that could not be read and were left out
	Archive  string `json:"archive,omitempty"` // where the live segment went

	Newest Newest `json:"-"` // of the keys
}

// Newest is the newest of some records; the zero Newest is none.
type Newest struct {
	Key    string
	TS     log.Stamp
	Source []byte
}

// see takes a record that is newer. The source is copied into the bytes of the one before.
func (n *Newest) see(rec log.Record) {
	if n.Key == "" || rec.TS > n.TS {
		n.Key, n.TS, n.Source = rec.Key.String(), rec.TS, append(n.Source[:0], rec.Source...)
	}
}

// tick returns a function that reports progress: records written, out of about total.
func (j *Job) tick(total int) func(int) {
	if j.Progress == nil {
		return nil
	}
	return func(n int) {
		if n%4096 == 0 {
			j.Progress(n, max(n, total))
		}
	}
}
