package exchange

import (
	"bytes"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Whoever can write to a plain depot can write any line. So its lines are facts of others: marked
// in their source, never beside an own version of their key, and sent to no depot.

// DepotID returns the id by which a machine knows a depot. The owner of a plain one may give it the
// id of a sealed one, to which a person has admitted more.
func DepotID(info depot.Info) string {
	if info.Plain {
		return "plain-" + info.ID
	}
	return info.ID
}

// Unsealed is the key of a plain depot.
type Unsealed struct{}

// Seal returns the bytes as they are.
func (Unsealed) Seal(_ string, plain []byte) ([]byte, error) { return plain, nil }

// Open returns the bytes as they are.
func (Unsealed) Open(_ string, plain []byte) ([]byte, error) { return bytes.Clone(plain), nil }

// others is what a plain depot may not change.
type others struct {
	own   map[keypath.Key]bool // the keys with an own version here
	texts map[keypath.Key]bool // the keys with a version that a purge would take
	asked []log.Envelope       // marks of purges that a person decides on
}

// note notes a version of this copy.
func (o *others) note(rec log.Record) {
	if content.Claim(rec.Source) != content.FromDepot {
		o.own[rec.Key] = true
	}
	if !content.IsPurgeMark(rec) {
		o.texts[rec.Key] = true
	}
}

// behind is how much earlier the lines of others are here than they say, so that each loses against
// any own line of its key, whenever that comes.
const behind = 20 * 365 * log.Stamp(24*time.Hour/time.Microsecond)

// admit returns a line of a plain depot as it is folded in: marked in its source, and earlier. ok
// is false for a line that is not folded in.
func (o *others) admit(e log.Envelope) (marked log.Envelope, ok bool) {
	if content.IsPurgeMark(log.Record{Envelope: e}) {
		if o.texts[e.Key] {
			o.asked = append(o.asked, e)
		}
		return e, false
	}
	isSound := e.TS > behind
	e.Content = content.KeepTime(e.Content, e.TS)
	e.Source = content.WithClaim(e.Source, content.FromDepot)
	e.TS -= behind
	isSound = isSound && len(e.Content) <= policy.MaxContent && len(e.Source) <= policy.MaxSource
	return e, isSound && !o.own[e.Key]
}

// maxAsked is how many purges of others wait at most.
const maxAsked = 20

// ask lets a person decide on the purges of others. Where too many wait the next exchange reads the
// segments again.
func (x *exchange) ask() error {
	if len(x.others.asked) == 0 {
		return nil
	}
	client := mem.Caller{Client: "mem sync"}
	open, err := proposal.List(x.ctx, x.Store, client)
	if err != nil {
		return err
	}
	waiting := map[keypath.Key]bool{}
	for _, p := range open {
		if p.Change == proposal.Purge {
			waiting[p.Key] = true
		}
	}
	for _, e := range x.others.asked {
		if waiting[e.Key] {
			continue
		}
		if len(waiting) == maxAsked {
			for _, s := range x.fetched {
				x.seen.segments[s.name] = unsettled
			}
			return nil
		}
		_, err := proposal.Add(x.ctx, x.Store, client, proposal.Change{Verb: proposal.Purge,
			Key: e.Key, Content: []byte("null"), Source: e.Source})
		if err != nil {
			return err
		}
		waiting[e.Key] = true
		x.rep.Asked++
	}
	return nil
}
