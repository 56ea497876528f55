package compact

import "github.com/set-memory/mem/log"

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
