package hook

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// longest is more than any setting lets a hook take, and less than the clients do.
const longest = 4500 * time.Millisecond

// around is the part of a deadline that the process needs to start and to end.
const around = 25 * time.Millisecond

// grace is how long a hook may take beyond its deadline to record that it missed it.
const grace = 400 * time.Millisecond

// noProject is a directory of no project, for which only the user's store is opened.
const noProject = "."

// Hook answers one event of a client.
type Hook struct {
	Client   *setup.Client
	Agent    string                          // the id of the agent that runs there; "" for none
	Keeps    bool                            // its own records are injected
	Open     func(dir string) (*View, error) // the memories for a working directory; "" is ours
	Began    time.Time                       // when the process did; zero: when Run is called
	Debug    func(msg string)                // takes why there is no answer; may be nil
	Complain func(msg string)                // takes why there is no event; may be nil
	Deadline time.Duration                   // 0: as the settings of the stores say
	Zone     *time.Location                  // of the days that are injected; nil: UTC
	Capture  Capture                         // zero: nothing is captured
	Ended    func(dir string)                // runs when a conversation has ended; may be nil
	Away     bool                            // the client is on another machine
	grace    time.Duration                   // 0: [grace]
}

// Run reads an event and prints its answer, or nothing; it does not fail. It reports whether the
// answer was late: then the stores are still in use, and to close them could take long.
func (h *Hook) Run(in io.Reader, out io.Writer) (late bool) {
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(h.Deadline, longest))
	if !h.Began.IsZero() {
		end := h.Began.Add(cmp.Or(h.Deadline, longest))
		ctx, cancel = context.WithDeadline(context.Background(), end)
	}
	defer cancel()
	r := &run{Hook: h, started: make(chan started, 2), spare: make(chan *View, 1)}
	answers := make(chan reply, 1)
	h.async(func() error {
		a, err := r.reply(ctx, in)
		if err == nil {
			answers <- a
		}
		return err // which async reports before it sends an empty answer
	}, answers)
	now := started{ctx: ctx}
	var slow <-chan time.Time
	for {
		select {
		case now = <-r.started:
			defer now.cancel()
			if slow = nil; now.view == nil {
				slow = time.After(remaining(now.ctx) / 4)
			}
		case <-slow:
			h.async(func() error {
				view, err := h.Open(noProject)
				if err == nil {
					r.spare <- view
				}
				return err
			}, make(chan reply, 1))
		case a := <-answers:
			if len(a.answer) > 0 {
				if _, err := out.Write(a.answer); err != nil {
					a.failed = err.Error()
				}
			}
			if a.failed != "" {
				r.miss(now, a.failed)
			}
			return a.late
		case <-now.ctx.Done():
			h.debug(inject.TooLate)
			r.miss(now, inject.TooLate)
			return true
		}
	}
}

var errLate = errors.New(inject.TooLate)

// run is one event on its way to its answer.
type run struct {
	*Hook
	started chan started
	spare   chan *View // for the record, where the stores take too long to open
}

// started is an event whose answer is due: before the stores are open, when the context's deadline
// is that of the defaults, and after that.
type started struct {
	ctx       context.Context
	cancel    context.CancelFunc
	view      *View            // nil: not yet open
	injection inject.Injection // as it is recorded where it is missed
}

// due sends the event on its way, with the time of a limit since the hook began.
func (r *run) due(ctx context.Context, limit time.Duration, view *View,
	in inject.Injection) context.Context {
	cancel := func() {}
	if end, ok := ctx.Deadline(); ok && r.Deadline == 0 {
		ctx, cancel = context.WithDeadline(ctx, end.Add(limit-around-longest))
	}
	r.started <- started{ctx, cancel, view, in}
	return ctx
}

// miss records that an event had no answer, and why. What cannot be recorded in the grace is lost.
func (r *run) miss(s started, why string) {
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(r.grace, grace))
	defer cancel()
	for s.view == nil { // the stores are still being opened
		select {
		case s = <-r.started:
			defer s.cancel()
		case s.view = <-r.spare:
			s.injection.At = log.StampOf(s.view.Store.Now())
		case <-ctx.Done():
			return
		}
	}
	if s.view.Unrecorded {
		return
	}
	s.injection.Missed = readout.Flatten(why, maxWhy)
	r.wait(ctx, func() { inject.Record(s.view.Store, s.injection) })
}

// maxWhy is the length in characters of the longest reason in the record.
const maxWhy = 120

// reply is an answer, whose memories are claimed.
type reply struct {
	answer []byte
	failed string // why there is none; "" where there is nothing to say
	late   bool   // a capture still uses the stores
}

// errSilent is wrapped where an event wants no answer.
var errSilent = errors.New("nothing to say")

// ErrOff is wrapped by Hook.Open where a person has turned the hooks off.
var ErrOff = errors.New("hooks are off")

// async runs fn in a goroutine, and sends an answer that says why if fn sends none.
func (h *Hook) async(fn func() error, answers chan<- reply) {
	go func() {
		var failed string
		defer func() {
			if cause := recover(); cause != nil {
				failed = fmt.Sprint("panic: ", cause)
				h.debug(failed)
			}
			select {
			case answers <- reply{failed: failed}:
			default:
			}
		}()
		if err := fn(); err != nil {
			h.debug(err.Error())
			if !errors.Is(err, errSilent) {
				failed = err.Error()
			}
		}
	}()
}

// wait runs fn, and returns before its end where the context ends first.
func (h *Hook) wait(ctx context.Context, fn func()) {
	done := make(chan reply, 1)
	h.async(func() error {
		fn()
		return nil
	}, done)
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (r *run) reply(ctx context.Context, in io.Reader) (a reply, err error) {
	e, err := readEvent(in)
	if err != nil {
		if r.Complain != nil {
			r.Complain("standard input: want the JSON object of an event")
		}
		return a, fmt.Errorf("standard input: %w: %w", errSilent, err)
	}
	if r.Away {
		e.stay()
	}
	r = r.as(e)
	r.record(ctx, e)
	if e.Name == setup.SessionEnd && r.Ended != nil {
		r.Ended(string(e.Dir))
	}
	trigger, ok := e.trigger(r.Client)
	if !ok {
		return a, fmt.Errorf("event %.40q: %w", string(e.Name), errSilent)
	}
	missed := inject.Injection{Claim: rand.Text(), Client: r.Client.Name,
		Conversation: string(e.Session), Event: string(e.Name), Trigger: trigger,
		Retained: e.retained(r.Client), SubAgent: string(e.Agent), Memories: []inject.Injected{}}
	if r.Away {
		missed.Agent = r.Agent
	}
	due := r.due(ctx, inject.DefaultDeadline(trigger), nil, missed)
	view, err := r.Open(string(e.Dir))
	if err != nil {
		return r.unopened(e, err)
	}
	missed.At, missed.Project = log.StampOf(view.Store.Now()), view.Project
	if off, said := view.isOff(string(e.Session)); off {
		if !said && r.Client.TellsPerson {
			a.answer = e.answer(r.Client, "", "mem: "+r.Client.Name+
				" ran mem off: nothing is injected into this conversation any more")
		}
		return a, nil
	}
	due = r.due(ctx, inject.Deadline(due, view.Store, trigger), view, missed)
	taken := r.take(due, e, view)
	injection, notice, err := r.inject(due, e, view, missed)
	if err != nil {
		return a, err
	}
	part := r.ask(due, e, view, &injection)
	said := notice()
	if due.Err() != nil {
		return a, errLate // Run may not have seen the deadline yet
	}
	return r.deliver(e, view, missed, injection, part, said, taken)
}

// deliver claims the memories of an injection, and returns the answer with them, the server's part
// and what came of a capture.
func (r *run) deliver(e event, view *View, missed, injection inject.Injection, part Part,
	said string, taken func() (intake.Taken, bool)) (a reply, err error) {
	if !view.Unrecorded && injection.IsRecorded() {
		inject.Claim(view.Store, &injection)
	}
	if r.Away {
		a.answer, err = sentAnswer(injection)
		return a, err
	}
	r.recordPart(view, missed, injection.Missed, part.block)
	injection.Text += part.block.Text
	if said == "" && part.Said != "" && r.Client.TellsPerson {
		said = readout.Flatten("mem: "+part.Said, MaxNotice)
	}
	what, late := taken()
	if a.late = late; what.Said != "" && r.Client.TellsPerson {
		said = readout.Flatten("mem: "+what.Said, MaxNotice)
	}
	if what.Told != "" {
		injection.Text += what.Told + "\n"
	}
	a.answer = e.answer(r.Client, injection.Text, said)
	return a, nil
}

// inject returns the memories for an event, and the notice to the person.
func (r *run) inject(ctx context.Context, e event, view *View, in inject.Injection) (
	inject.Injection, func() string, error) {
	caller := mem.Caller{Session: string(e.Session), Agent: r.Agent, Channel: "hook"}
	notice := r.notice(ctx, e, view)
	o := inject.Options{
		Unrecorded: view.Unrecorded, Claim: in.Claim,
		Client: in.Client, Conversation: in.Conversation, Event: in.Event,
		Trigger: in.Trigger, Message: e.message(), Retained: in.Retained,
		Files: e.files(), Renamed: e.renames(), Root: e.root(view), Dir: string(e.Dir),
		Branch: view.Branch, Mark: view.Mark,
		SubAgent: in.SubAgent, Remark: view.Remark,
		Block: readout.Block{Teach: in.Trigger == inject.AtStart && !e.isTaught(),
			Most: e.room(view), Unit: unitOf(r.Client)},
		Layered: view.Layered, Repository: view.Repository,
		Project: view.Project, Names: view.Names, Zone: r.Zone, Native: view.Native, Away: r.Away,
		Agent: in.Agent,
	}
	if r.Keeps {
		o.Personal = view.Personal
	}
	injection, err := r.choose(ctx, view, caller, o)
	if why := view.Store.LogFault(); why != "" {
		markMissed(&injection, why)
	}
	return injection, notice, err
}

// choose chooses from the stores of a view. Where that fails, or takes two thirds of the time, it
// chooses from the user's alone: a project's store must not silence the user's rules.
func (h *Hook) choose(ctx context.Context, view *View, c mem.Caller, o inject.Options) (
	inject.Injection, error) {
	if view.User == nil {
		return inject.Choose(ctx, view.Store, c, o)
	}
	chosen := make(chan inject.Injection, 1)
	failed := make(chan reply, 1)
	h.async(func() error {
		in, err := inject.Choose(ctx, view.Store, c, o)
		if err == nil {
			chosen <- in
		}
		return err
	}, failed)
	why := inject.TooLate
	select {
	case in := <-chosen:
		return in, nil
	case r := <-failed:
		why = r.failed
		if why == "" {
			return <-chosen, nil
		}
	case <-time.After(remaining(ctx) * 2 / 3):
		h.debug(why)
	}
	o.Names = nil
	in, err := inject.Choose(ctx, view.User, c, o)
	markMissed(&in, "only from the user layer: "+why)
	return in, err
}

// markMissed records why an injection may lack memories, so that a start is repeated.
func markMissed(in *inject.Injection, why string) {
	in.Missed = readout.Flatten(why, maxWhy)
	if in.Start != nil {
		in.Start.Missed = in.Missed
	}
}

// remaining returns the time until the deadline of a context.
func remaining(ctx context.Context) time.Duration {
	end, _ := ctx.Deadline()
	return time.Until(end)
}

// MaxNotice is the length in characters of the longest message to the person. Two commands with
// the paths of stores find room.
const MaxNotice = 600

// notice begins to ask for the one line that the client shows to the person, and returns how to get
// it: "" where there is none, or where it takes too long. A conversation has one at most.
func (h *Hook) notice(ctx context.Context, e event, view *View) func() string {
	if view.Notice == nil || e.Name != setup.SessionStart || !h.Client.TellsPerson {
		return func() string { return "" }
	}
	said := make(chan string, 1)
	go func() {
		defer func() { _ = recover() }() // a store that cannot be read has nothing to say
		said <- view.Notice()
	}()
	return func() string {
		select {
		case text := <-said:
			if text != "" {
				text = readout.Flatten("mem: "+text, MaxNotice)
			}
			return text
		case <-time.After(remaining(ctx) / 6):
			return ""
		}
	}
}

func (h *Hook) debug(msg string) {
	if h.Debug != nil {
		h.Debug(msg)
	}
}
