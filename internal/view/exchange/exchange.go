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
	"github.com/set-memory/mem/internal/view/lettering"
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
	SeenFile   string         // path of the file of this machine
	// Future is the path of the file of this machine for the lines from the future.
	FutureFile string
	// Clock is the machine's own clock, whatever time the command is given.
	Clock func() time.Time
	Late  Late // what becomes of the lines that wait
	// Follow purges the copies that moves made, on this machine, of versions to be purged here. It
	// returns those that it had to leave, for people, and whether some were in this store, under
	// other keys; nil: no moves are followed.
	Follow func(context.Context, Followed) (left []string, isHere bool, err error)
}

// Followed is what marks of purges take out of a store.
type Followed struct {
	Store *mem.Store
	Keys  []keypath.Key
	Takes func(log.Record) bool // whether a version of these keys goes
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
	// Waiting are the lines from the future, of other machines, and Ahead those of this one, which
	// wait on the others; Taken and Dropped those about which a person decided.
	Waiting []places.Late `json:"waiting,omitempty"`
	Ahead   int           `json:"ahead,omitempty"`
	// Overtaken are lines of this machine alone, in whose place another one has taken others.
	Overtaken int       `json:"overtaken,omitempty"`
	Taken     int       `json:"taken,omitempty"`
	Dropped   int       `json:"dropped,omitempty"`
	Behind    log.Stamp `json:"behind,omitzero"` // this clock is behind this time of two others
	// Replaced are memories of this machine in whose place is one of another that had not seen it;
	// Overruled those of others in whose place is one of this machine, which had not seen them;
	// Hidden those that a purge has not seen, and hides: they stay in the history; Later those
	// that were written here, or renamed and merged to, after a purge that they had not seen.
	// Erased are memories of this machine alone that a purge elsewhere has taken.
	Replaced  []Named `json:"replaced,omitempty"`
	Overruled []Named `json:"overruled,omitempty"`
	Hidden    []Named `json:"hidden,omitempty"`
	Later     []Named `json:"later,omitempty"`
	Erased    []Named `json:"erased,omitempty"`
	Healed    int     `json:"healed,omitempty"` // segments that were damaged, and are sent again
	// Plain is how many live notes stay here, for their ids have no letters.
	Plain int `json:"plain,omitempty"`
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

// Named is a memory, and the machine that has changed it, as far as it is known.
type Named struct {
	Key     keypath.Key    `json:"key"`
	Machine places.Machine `json:"machine"`
}

type exchange struct {
	Job
	ctx     context.Context // of the one call that it lives for, without an end
	reading context.Context // the same, with its end: lines read by then are folded in and kept
	half    context.Context // it is over where no further segment is read before that
	op      *mem.Operation
	seen    *seen
	rep     Report
	had     map[log.Identity]bool // what the depot had after the last exchange
	future  *future

	travels func(log.Record) bool // the lines that are exchanged
	limit   log.Stamp             // lines after it wait
	fetched []*segment
	anew    bool                  // all segments are read, as for the first time
	arrived []arrived             // of their lines those that enter
	retired map[log.Identity]bool // those in whose place a repair has put others
	taken   content.Taken         // lines that were taken
	aside   []byte                // what quarantine/ holds; nil: not read yet
	suspect map[string]bool       // segments that another machine cannot read
	heard   map[string]log.Stamp  // the newest of the heads that are new, by machine
	opened  map[string]*segment   // those by their names
	size    int                   // about the bytes of their lines
	news    int                   // segments that were opened
	room    int                   // size up to which segments are read at a time
	more    bool                  // others are left to the next run
	free    bool                  // segments in which lines wait are read, too
	read    map[string]bool       // those that were read since the first one began
	local   map[log.Identity]bool
	marks   map[keypath.Key]purged
	unmet   map[keypath.Key]bool  // those with a mark that is new to the depot, or to this machine
	lost    map[log.Identity]bool // lines that this copy had, and has no more
	overdue []log.Envelope        // marks that take something here
	fresh   bool                  // a mark is new to the depot, or to this machine
	plain   bool                  // the history has notes with plain ids, maybe deleted ones
	hidden  map[keypath.Key]bool  // those of rep.Hidden

	// purgers sent the marks that this copy has not met.
	purgers map[keypath.Key]places.Machine

	unsent []log.Envelope
	own    []log.Envelope // marks of purges of this copy
	ahead  []log.Envelope // lines of this copy that are ahead of its clock
	newest log.Stamp      // of the others

	rejected map[string]bool // segments that were reported

	held map[keypath.Key]content.Reach // what the purges that wait take

	named     map[string]bool // sums of the files that artifacts in the history are about
	onSegment func(*segment)  // looks at every segment that is read; nil: nothing does
	known     log.Stamp       // the time of the segment that rep.Identities are of
}

// Run exchanges lines with a depot, after it has ended a command over several stores that was
// killed. After an error everything exchanged so far stays. The error wraps mem.ErrInput for a
// store that is not in files.
func Run(ctx context.Context, c mem.Caller, j Job) (Report, error) {
	j.Store.Finish(ctx, c)
	var sum Report
	read := map[string]bool{}
	for {
		x := newExchange(ctx, j)
		x.read = read
		stop := x.halve()
		rep, err := x.run(c, policy.Sync, x.fetch, x.heal, x.survey, x.admit, x.again,
			x.look, x.fold, x.purge,
			x.whole(x.send), x.whole(x.clean), x.whole(x.mergeSmall),
			x.overtaken, x.keep,
			x.whole(x.count))
		stop()
		if sum.add(rep); err != nil || !x.more {
			return sum, err
		}
	}
}

// halve ends the reading of segments after half of the time that is left, so that the lines read by
// then are folded in and kept before the time is over.
func (x *exchange) halve() (stop context.CancelFunc) {
	stop = func() {}
	if end, ok := x.reading.Deadline(); ok {
		x.half, stop = context.WithTimeout(x.reading, time.Until(end)/2)
	}
	return stop
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

func (r *Report) add(next Report) {
	r.Scope, r.Scopes = next.Scope, next.Scopes
	r.Identities = append(r.Identities, next.Identities...)
	r.Sent, r.Received, r.Bytes = r.Sent+next.Sent, r.Received+next.Received, r.Bytes+next.Bytes
	r.Purged, r.Cleaned = r.Purged+next.Purged, r.Cleaned+next.Cleaned
	r.Taken, r.Dropped, r.Healed = r.Taken+next.Taken, r.Dropped+next.Dropped, r.Healed+next.Healed
	r.Remains = append(r.Remains, next.Remains...)
	r.Replaced = append(r.Replaced, next.Replaced...)
	r.Overruled = append(r.Overruled, next.Overruled...)
	r.Hidden, r.Later = append(r.Hidden, next.Hidden...), append(r.Later, next.Later...)
	r.Erased = append(r.Erased, next.Erased...)
	r.Rejected, r.Waiting = next.Rejected, next.Waiting // they are tried again each time
	r.Ahead, r.Behind, r.Overtaken = next.Ahead, next.Behind, next.Overtaken
	r.Plain = next.Plain
}

func newExchange(ctx context.Context, j Job) *exchange {
	past := readSeen(j.SeenFile, j.Scope)
	return &exchange{room: maxRoom, opened: map[string]*segment{}, read: map[string]bool{},
		rejected: map[string]bool{}, Job: j,
		ctx: context.WithoutCancel(ctx), reading: ctx, half: ctx, seen: past, had: past.lines,
		future: readFuture(j.FutureFile), fresh: past.Unclean, travels: mem.Travels,
		rep: Report{Scope: j.Scope}, local: map[log.Identity]bool{},
		marks: map[keypath.Key]purged{}, unmet: map[keypath.Key]bool{},
		hidden: map[keypath.Key]bool{}, purgers: map[keypath.Key]places.Machine{},
		lost: map[log.Identity]bool{}, held: map[keypath.Key]content.Reach{},
		suspect: map[string]bool{}, heard: map[string]log.Stamp{},
		retired: map[log.Identity]bool{}, taken: content.Taken{}, anew: len(past.segments) == 0}
}

// run takes the steps of an exchange, as an operation of the store.
func (x *exchange) run(c mem.Caller, verb policy.Verb, steps ...func() error) (Report, error) {
	op, err := x.Store.Begin(c, verb)
	if err != nil {
		return x.rep, err
	}
	x.op = op
	for _, step := range steps {
		if err = step(); err != nil {
			break
		}
	}
	op.Done(x.rep.Received, err)
	return x.rep, err
}

// again reads the depot and this copy once more where the copy lacks a line that it had: it was put
// back to an earlier state, or something was purged.
func (x *exchange) again() error {
	for id := range x.seen.lines {
		if !x.local[id] {
			x.lost[id] = true
		}
	}
	if len(x.lost) == 0 {
		return nil
	}
	x.seen.forget()
	x.fetched = nil
	x.size, x.more, x.anew = 0, false, true
	return cmp.Or(x.fetch(), x.survey(), x.admit())
}

// fold takes in the lines that arrived and that this copy lacks.
func (x *exchange) fold() error {
	var lines []log.Envelope
	var met *rivals
	for _, a := range x.arrived {
		id := a.Identity()
		if x.local[id] {
			x.seen.lines[id] = true
		}
		if x.local[id] || x.isPurged(a.Envelope) || !x.travels(log.Record{Envelope: a.Envelope}) {
			continue
		}
		if met == nil {
			met = x.concurrent()
		}
		x.noteRival(met, a)
		x.noteHidden(a.Envelope, a.from)
		x.local[id], x.seen.lines[id] = true, true
		lines = append(lines, a.Envelope)
	}
	if len(lines) == 0 && !x.Store.Exists() {
		return nil
	}
	// Without lines, too: what an exchange that was killed has left is healed.
	if err := x.op.MergeLines(x.ctx, lines); err != nil {
		return err
	}
	x.rep.Received = len(lines)
	if met != nil {
		x.noteOverruled(met)
	}
	for _, a := range x.arrived {
		if a.late != (log.Identity{}) {
			x.noteTaken(a)
		}
	}
	return nil
}

// purge purges what the marks of purges take, first elsewhere.
func (x *exchange) purge() error {
	if len(x.overdue) == 0 {
		return nil
	}
	left, err := x.follow()
	if err != nil {
		return err
	}
	proof, err := x.op.PurgeMarked(x.ctx, x.overdue)
	x.rep.Purged, x.rep.Remains = proof.Versions, append(left, proof.Remains...)
	return err
}

// follow purges the copies that moves made of what goes.
func (x *exchange) follow() (left []string, err error) {
	if x.Follow == nil {
		return nil, nil
	}
	f := Followed{Store: x.Store, Takes: func(rec log.Record) bool {
		return x.isPurged(rec.Envelope)
	}}
	for _, mark := range x.overdue {
		f.Keys = append(f.Keys, mark.Key)
	}
	left, isHere, err := x.Follow(x.ctx, f)
	if err != nil || !isHere {
		return left, err
	}
	err = x.survey() // some of it is purged
	x.noteOwn()
	return left, err
}

// keep writes the file of this machine.
func (x *exchange) keep() error {
	if x.seen.At, x.seen.Unclean = x.op.Now(), x.more && x.fresh; !x.more {
		clear(x.seen.former) // all were read
	}
	x.seen.Sent += x.rep.Sent
	x.seen.Received += x.rep.Received
	x.rep.Scopes, x.rep.Behind = x.seen.Scopes, x.seen.Behind
	x.seen.Waiting = x.waiting()
	x.rep.Waiting, x.seen.Ahead = x.seen.Waiting, x.rep.Ahead
	x.seen.Overtaken = x.rep.Overtaken
	if err := x.future.write(); err != nil {
		return err
	}
	return x.seen.write(x.SeenFile)
}

// count counts the notes that stay here.
func (x *exchange) count() (err error) {
	if !x.plain {
		return nil
	}
	x.rep.Plain, err = lettering.Plain(x.ctx, x.Store, x.op.Caller())
	return err
}
