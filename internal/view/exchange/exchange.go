package exchange

import (
	"cmp"
	"context"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Place is a depot, near or far.
type Place interface {
	Info() depot.Info
	List() ([]string, error)
	Get(name string) ([]byte, error)
	Put(data []byte) error
	Remove(name string) error
}

// Key seals what a depot carries and opens it.
type Key interface {
	Seal(place string, plain []byte) ([]byte, error)
	Open(place string, sealed []byte) ([]byte, error)
}

// Job is an exchange of one memory with one depot.
type Job struct {
	Store    *mem.Store
	Scope    string // which memory it is: [User], the identity of a project, or [BackupScope]
	Project  string // the name of a project, for people
	Identity string // of a project in a backup; "": it has none
	// Identities are those that the repository of a project has had.
	Identities []string
	Place      Place
	Key        Key
	Machine    places.Machine // this one
	Seen       string         // path of the file of this machine
}

// User is the scope of the user's own memory.
const User = "user"

// Report is the result of an exchange.
type Report struct {
	Scope    string   `json:"scope"`
	Sent     int      `json:"sent"`               // lines that the depot lacked
	Received int      `json:"received"`           // lines that this copy lacked
	Bytes    int64    `json:"bytes"`              // of the segments that were sent and fetched
	Purged   int      `json:"purged"`             // versions that marks of purges removed here
	Cleaned  int      `json:"cleaned"`            // segments that were replaced because of a purge
	Lines    int      `json:"lines,omitempty"`    // of a backup, each read back from the store
	Files    int      `json:"files,omitempty"`    // that a backup lacked, or that it brought
	Remains  []string `json:"remains,omitempty"`  // files that may still hold a purged value
	Rejected []Fault  `json:"rejected,omitempty"` // segments that were not read
	Waiting  []Late   `json:"waiting,omitempty"`  // lines of clocks that are ahead
	// Scopes are the other memories at the depot, with the names of their projects.
	Scopes map[string]string `json:"-"`
	// Identities are those of the project that the newest segment of another machine names.
	Identities []string `json:"-"`
	// There is what may hold a purged value at the depot and above it; the caller looks for it.
	There []depot.Remain `json:"remains_there,omitempty"`
}

// Fault is a segment that was not read, and why.
type Fault struct {
	Segment string `json:"segment"`
	Why     string `json:"why"`
}

// Late is how many lines of a machine wait until the time of the newest has come.
type Late struct {
	Machine places.Machine `json:"machine"`
	Lines   int            `json:"lines"`
	TS      log.Stamp      `json:"ts"`
}

// ahead is how far the clock of a line may be ahead.
const ahead = 24 * time.Hour

// exchange is one exchange.
type exchange struct {
	Job
	ctx  context.Context // of the one call that it lives for
	op   *mem.Operation
	seen *seen
	rep  Report

	travels func(log.Record) bool // the lines that are exchanged
	limit   log.Stamp             // lines after it wait
	fetched []*segment
	opened  map[string]*segment // those by their names
	size    int                 // about the bytes of their lines
	room    int                 // size up to which segments are read at a time
	more    bool                // others are left to the next run
	read    map[string]bool     // those that were read since the first one began
	local   map[log.Identity]bool
	marks   map[keypath.Key]log.Envelope // the newest mark of a purge of each key
	overdue []log.Envelope               // marks before which this copy has versions
	fresh   bool                         // a mark is new to the depot, or to this machine

	imported func(log.Record) bool // whether an older build has marked a line; nil: none
	unsent   []log.Envelope
	own      letters

	rejected map[string]bool // segments that were reported

	named map[string]bool // sums of the files that artifacts in the history are about
	see   func(*segment)  // looks at every segment that is read; nil: nothing does
	known log.Stamp       // the time of the segment that rep.Identities are of
}

// Run exchanges lines with a depot. After an error everything exchanged so far stays, and the next
// exchange goes on. The error wraps mem.ErrInput for a store that is no copy in files.
func Run(ctx context.Context, c mem.Caller, j Job) (Report, error) {
	var sum Report
	read := map[string]bool{}
	for {
		x := newExchange(ctx, j)
		x.read = read
		rep, err := x.run(c, policy.Sync, x.fetch, x.survey, x.again, x.letter, x.fold, x.purge,
			x.whole(x.send), x.whole(x.clean), x.whole(x.merge), x.keep)
		if sum.add(rep); err != nil || !x.more {
			return sum, err
		}
	}
}

// maxRoom is about how many bytes of lines are folded in at a time. Tests have less.
var maxRoom = 128 << 20

// whole returns a step that is left out while segments are left to the next run.
func (x *exchange) whole(step func() error) func() error {
	return func() error {
		if x.more {
			return nil
		}
		return step()
	}
}

// add adds the report of the next run.
func (r *Report) add(next Report) {
	r.Scope, r.Scopes = next.Scope, next.Scopes
	r.Identities = append(r.Identities, next.Identities...)
	r.Sent, r.Received, r.Bytes = r.Sent+next.Sent, r.Received+next.Received, r.Bytes+next.Bytes
	r.Purged, r.Cleaned = r.Purged+next.Purged, r.Cleaned+next.Cleaned
	r.Remains = append(r.Remains, next.Remains...)
	r.Waiting = append(r.Waiting, next.Waiting...)
	r.Rejected = next.Rejected // they are tried again each time
}

func newExchange(ctx context.Context, j Job) *exchange {
	past := readSeen(j.Seen, j.Scope)
	return &exchange{room: maxRoom, opened: map[string]*segment{}, read: map[string]bool{},
		rejected: map[string]bool{}, Job: j,
		ctx: ctx, seen: past, fresh: past.Unclean, travels: mem.Travels,
		rep: Report{Scope: j.Scope}, local: map[log.Identity]bool{},
		marks: map[keypath.Key]log.Envelope{},
		own:   letters{versions: map[keypath.Key][]log.Envelope{}}}
}

// run takes the steps of an exchange, as an operation of the store.
func (x *exchange) run(c mem.Caller, verb policy.Verb, steps ...func() error) (Report, error) {
	op, err := x.Store.Begin(c, verb)
	if err != nil {
		return x.rep, err
	}
	if x.imported, err = x.Store.Imported(x.ctx); err != nil {
		return x.rep, err
	}
	x.op, x.limit = op, cmp.Or(x.limit, op.Now()+log.Stamp(ahead/time.Microsecond))
	for _, step := range steps {
		if err = step(); err != nil {
			break
		}
		if err = x.ctx.Err(); err != nil {
			break
		}
	}
	op.Done(x.rep.Received, err)
	return x.rep, err
}

// survey reads the history of this copy.
func (x *exchange) survey() error {
	for _, s := range x.fetched {
		for _, e := range s.lines {
			if e.TS <= x.limit {
				x.mark(e)
			}
		}
	}
	err := x.Store.Everything(x.ctx, func(rec log.Record) error {
		id := rec.Identity()
		if x.local[id] {
			return nil
		}
		x.local[id] = true
		x.mark(rec.Envelope)
		x.own.add(rec.Envelope)
		if x.travels(rec) && !x.seen.lines[id] {
			x.unsent = append(x.unsent, rec.Envelope.Clone())
		}
		return nil
	})
	if err != nil || len(x.marks) == 0 {
		return err
	}
	due := map[keypath.Key]bool{}
	return x.Store.Everything(x.ctx, func(rec log.Record) error {
		if x.isPurged(rec.Envelope) && !due[rec.Key] {
			due[rec.Key] = true
			x.overdue = append(x.overdue, x.marks[rec.Key])
		}
		return nil
	})
}

// again reads the depot and this copy once more where the copy lacks a line that it had: it was put
// back to an earlier state, or something was purged.
func (x *exchange) again() error {
	for id := range x.seen.lines {
		if !x.local[id] {
			x.seen.forget()
			x.fetched, x.unsent, x.overdue = nil, nil, nil
			x.size, x.more = 0, false
			clear(x.local)
			clear(x.own.versions)
			return cmp.Or(x.fetch(), x.survey())
		}
	}
	return nil
}

// isMarked reports whether an older build has marked a line of this copy.
func (x *exchange) isMarked(e log.Envelope) bool {
	return x.imported != nil && x.imported(log.Record{Envelope: e})
}

// mark notes the mark of a purge.
func (x *exchange) mark(e log.Envelope) {
	if rec := (log.Record{Envelope: e}); !content.IsPurgeMark(rec) || !x.travels(rec) {
		return
	}
	if old, ok := x.marks[e.Key]; !ok || wins(e, old) {
		x.marks[e.Key] = e.Clone()
	}
	if !x.seen.lines[e.Identity()] {
		x.fresh = true
	}
}

func wins(a, b log.Envelope) bool {
	return log.Record{Envelope: a, Line: a.Line()}.Wins(log.Record{Envelope: b, Line: b.Line()})
}

// isPurged reports whether a line is older than the mark of its key's purge.
func (x *exchange) isPurged(e log.Envelope) bool {
	mark, ok := x.marks[e.Key]
	return ok && e.TS < mark.TS
}

// fold takes in the fetched lines that this copy lacks.
func (x *exchange) fold() error {
	var lines []log.Envelope
	var marked []log.Identity
	for _, s := range x.fetched {
		late := Late{Machine: places.Machine{ID: s.Machine, Name: s.Name}}
		for _, e := range s.lines {
			id := e.Identity()
			if e.TS > x.limit {
				late.Lines, late.TS = late.Lines+1, max(late.TS, e.TS)
				continue
			}
			if x.local[id] {
				x.seen.lines[id] = true
			}
			if x.local[id] || x.isPurged(e) || !x.travels(log.Record{Envelope: e}) {
				continue
			}
			x.local[id], x.seen.lines[id] = true, true
			if lines = append(lines, e); s.marked[id] {
				marked = append(marked, id)
			}
		}
		if late.Lines > 0 {
			x.seen.segments[s.name] = unsettled
			x.rep.Waiting = append(x.rep.Waiting, late)
		}
	}
	if len(lines) == 0 && !x.Store.Exists() {
		return nil
	}
	// Without lines, too: what an exchange that was killed has left is healed.
	err := x.op.Fold(x.ctx, lines, marked)
	if err == nil {
		x.rep.Received = len(lines)
	}
	return err
}

// purge purges what is older than the mark of a purge.
func (x *exchange) purge() error {
	if len(x.overdue) == 0 {
		return nil
	}
	proof, err := x.op.PurgeMarked(x.ctx, x.overdue)
	x.rep.Purged, x.rep.Remains = proof.Versions, proof.Remains
	return err
}

// keep writes the file of this machine.
func (x *exchange) keep() error {
	x.seen.At, x.seen.Unclean = x.op.Now(), x.more && x.fresh
	x.seen.Sent += x.rep.Sent
	x.seen.Received += x.rep.Received
	x.rep.Scopes = x.seen.Scopes
	return x.seen.write(x.Seen)
}
