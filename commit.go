package mem

import (
	"errors"
	"sync"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// commits is group commit: writers of one Store that come while another is at the disk wait together, and the first of them then writes for all,
// under one lock, with one append, one fsync and one watermark. Between processes flock alone decides.
type commits struct {
	mu      sync.Mutex
	busy    bool // somebody leads
	waiting []*turn
}

// turn is one write that waits.
type turn struct {
	p    *prepared
	o    SetOptions
	err  error
	wake chan bool // true: lead the next group; false: it is done, and err says how
}

// join queues a turn and reports whether it is to lead, there being nobody else.
func (c *commits) join(t *turn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, t)
	lead := !c.busy
	c.busy = true
	return lead
}

// take gives the leader everything that waits by now, the leader's own turn first.
func (c *commits) take() []*turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	group := c.waiting
	c.waiting = nil
	return group
}

// pass wakes a group's followers, and then the next leader.
func (c *commits) pass(group []*turn) {
	for _, t := range group[1:] {
		t.wake <- false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy = len(c.waiting) > 0; c.busy {
		c.waiting[0].wake <- true
	}
}

// commit stores one write, alone or in a group. Where the lock cannot be had, the whole group hears of it.
func (s *Store) commit(p *prepared, o SetOptions) error {
	t := &turn{p: p, o: o, wake: make(chan bool, 1)}
	if !s.commits.join(t) && !<-t.wake {
		return t.err
	}
	var group []*turn
	err := s.update("set", func(wr *compact.Writer) error {
		group = s.commits.take()
		s.storeGroup(wr, group)
		return nil
	})
	if group == nil {
		group = s.commits.take()
	}
	for _, t := range group {
		t.err = errors.Join(t.err, err)
	}
	s.commits.pass(group)
	return t.err
}

// storeGroup gives each write its time, in the order in which they came, and stores all with one append. A write that loses its comparison
// or gets no time drops out alone.
func (s *Store) storeGroup(wr *compact.Writer, group []*turn) {
	newest := wr.MaxTS()
	stored := make(map[keypath.Key]log.Record, len(group)) // by this group
	var batch []log.Envelope
	var in []*turn
	for _, t := range group {
		if t.err = s.compare(wr, stored, t.p.Key, t.o); t.err != nil {
			continue
		}
		ts, err := log.NextStamp(s.now(), newest)
		if t.err = err; err != nil {
			continue
		}
		newest, t.p.TS = ts, ts
		stored[t.p.Key] = log.Record{Envelope: t.p.Envelope}
		batch, in = append(batch, t.p.Envelope), append(in, t)
	}
	if len(batch) == 0 {
		return
	}
	err := wr.Append(batch)
	if err != nil && !errors.Is(err, compact.ErrIndexBehind) {
		in = group // whoever lost, lost against what is not stored
	}
	for _, t := range in {
		t.err = err
	}
}

// compare holds a compare-and-set against what the key has now. What has expired counts as absent.
func (s *Store) compare(wr *compact.Writer, stored map[keypath.Key]log.Record, key keypath.Key, o SetOptions) error {
	if !o.IfAbsent && o.IfTS == nil {
		return nil
	}
	rec, found := stored[key]
	if !found {
		var err error
		if rec, found, err = wr.Newest(key); err != nil {
			return err
		}
	}
	if found && (!rec.Valid() || content.Expired(rec.Content, s.stamp())) {
		rec, found = log.Record{}, false
	}
	if o.IfAbsent && !found || o.IfTS != nil && found && rec.TS == *o.IfTS {
		return nil
	}
	switch {
	case !found:
		rec = log.Record{}
	case rec.Line == nil:
		rec.Line = rec.Envelope.Line()
	}
	return &ConflictError{Key: key, Newest: rec}
}
