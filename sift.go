package mem

import (
	"time"

	"github.com/set-memory/mem/exchange"
	"github.com/set-memory/mem/log"
)

// sieve leaves out of a group of writes what is no news, and gives the others their times. It is held against what the store has under the lock, or,
// for a dry run, at that moment.
type sieve struct {
	im     *importer
	now    func() time.Time
	newest log.Stamp // of all writes so far
	rep    *BatchReport
	fresh  int // of what was let through, the writes whose key holds nothing
}

// sift gives what is to be stored.
func (f *sieve) sift(group []prepared) (news []prepared, err error) {
	for _, p := range group {
		wanted, err := f.wants(&p)
		if err != nil {
			return nil, err
		}
		if wanted {
			news = append(news, p)
		}
	}
	return news, nil
}

func (f *sieve) wants(p *prepared) (bool, error) {
	old := f.im.known[p.Key]
	live := !old.Key.IsZero() && old.Valid()
	switch {
	case p.imported:
		if !f.im.wanted(p.Envelope, f.rep) {
			return false, nil
		}
	case p.once && p.says(old.Envelope, live):
		f.rep.Unchanged++
		return false, nil
	}
	if !live && p.Valid() {
		f.fresh++
	}
	return true, f.stamp(p)
}

// stamp gives a write its time, unless it came with one, and remembers it for those behind it.
func (f *sieve) stamp(p *prepared) (err error) {
	if !p.imported {
		if p.TS, err = log.NextStamp(f.now(), f.newest); err != nil {
			return err
		}
		if len(f.im.known) > 0 {
			f.im.stored(log.Record{Envelope: p.Envelope, Line: p.Line()})
		}
	}
	f.newest = max(f.newest, p.TS)
	return nil
}

// says reports whether the key holds already what p says. The source counts where the line named one; that of what is kept apart holds the time.
func (p prepared) says(old log.Envelope, live bool) bool {
	if !live || !p.Valid() {
		return live == p.Valid()
	}
	return exchange.Equal(old.Content, p.Content) && (!p.sourced || p.reason != "" || exchange.Equal(old.Source, p.Source))
}
