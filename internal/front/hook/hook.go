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
// answer or a capture is late: then the stores are still in use, and to close them could take long.
func (h *Hook) Run(in io.Reader, out io.Writer) (late bool) {
	limit := cmp.Or(h.Deadline, longest)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if !h.Began.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, h.Began.Add(limit))
		defer cancel()
	}
	r := &run{Hook: h}
	r.received = ask(func() (event, error) { return h.receive(ctx, in) })
	a, err := r.reply(ctx)
	if err != nil {
		a.out = r.regret(err)
	}
	if len(a.out) > 0 {
		_, failed := out.Write(a.out)
		err = cmp.Or(err, failed)
	}
	if err != nil {
		h.debug(err.Error())
		r.miss(err)
	}
	return a.late || errors.Is(err, errLate)
}

// run is one event on its way to its answer, by three questions: what the event is, which stores
// are for it, and the answer. One goroutine uses it, and those of the questions read it.
type run struct {
	*Hook
	received question[event]
	event    event
	trigger  inject.Trigger
	missed   inject.Injection // as it is recorded where it is missed
	opened   question[stores] // nil: not asked yet
	spare    question[*View]  // the user's alone, for the record; nil: not needed
	view     *View            // nil: not open yet
}

// stores are those for an event.
type stores struct {
	view   *View
	failed error         // why they cannot be opened
	off    bool          // the hooks are off in the conversation
	said   bool          // and the person knows
	limit  time.Duration // of the answer, by the settings
}

// within returns a context that ends when a time has passed since the hook began, but for the part
// of it that the process needs to end (around). Where a test has set Deadline, that counts alone.
func (h *Hook) within(ctx context.Context, limit time.Duration) (context.Context,
	context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok && h.Deadline == 0 {
		return context.WithDeadline(ctx, end.Add(limit-around-longest))
	}
	return ctx, func() {}
}

// reply is an answer, whose memories are claimed.
type reply struct {
	out  []byte // to print
	late bool   // a capture still uses the stores
}

// errSilent is wrapped where an event wants no answer.
var errSilent = errors.New("nothing to say")

// ErrOff is wrapped by Hook.Open where a person has turned the hooks off.
var ErrOff = errors.New("hooks are off")

// reply asks the questions. Until the stores are open, the time is that of the default settings.
func (r *run) reply(ctx context.Context) (a reply, err error) {
	if err := r.listen(ctx); err != nil {
		return a, err
	}
	early, cancel := r.within(ctx, inject.DefaultDeadline(r.trigger))
	defer cancel()
	here, err := r.open(early)
	switch {
	case err != nil:
		return a, err
	case here.failed != nil:
		return r.unopened(r.event, here.failed)
	case here.off:
		if !here.said && r.Client.TellsPerson {
			a.out = r.event.encode(r.Client, "", "mem: "+r.Client.Name+
				" ran mem off: nothing is injected into this conversation any more")
		}
		return a, nil
	}
	r.has(here.view)
	due, cancel := r.within(ctx, here.limit)
	defer cancel()
	return ask(func() (reply, error) { return r.answer(due) }).wait(due)
}

// listen waits for the event, and asks for its stores.
func (r *run) listen(ctx context.Context) error {
	e, err := r.received.wait(ctx)
	if err != nil {
		return err
	}
	h := r.as(e)
	trigger, ok := e.trigger(h.Client)
	if !ok {
		return fmt.Errorf("event %.40q: %w", string(e.Name), errSilent)
	}
	r.Hook, r.event, r.trigger = h, e, trigger
	r.missed = inject.Injection{Claim: rand.Text(), Client: h.Client.Name,
		Conversation: string(e.Session), Event: string(e.Name), Trigger: trigger,
		Retained: e.retained(h.Client), SubAgent: string(e.SubAgent), Memories: []inject.Injected{}}
	if h.Away {
		r.missed.Agent = h.Agent
	}
	r.opened = ask(func() (s stores, err error) {
		if s.view, s.failed = h.Open(string(e.Dir)); s.failed != nil {
			return s, nil
		}
		if s.off, s.said = s.view.isOff(string(e.Session)); !s.off {
			s.limit = inject.Deadline(ctx, s.view.Store, trigger)
		}
		return s, nil
	})
	return nil
}

// open waits for the stores. Where they take long it opens the user's alone meanwhile.
func (r *run) open(ctx context.Context) (stores, error) {
	here, err := r.opened.waitPart(ctx, 1./4)
	if !errors.Is(err, errLate) {
		return here, err
	}
	h := r.Hook
	r.spare = ask(func() (*View, error) { return h.Open(noProject) })
	return r.opened.wait(ctx)
}

// has takes the stores for the event.
func (r *run) has(view *View) {
	r.view, r.missed.Project = view, view.Project
	r.missed.At = log.StampOf(view.Store.Now())
}

// miss records that an event had no answer, and why. What cannot be recorded in the grace is lost.
func (r *run) miss(why error) {
	late := errors.Is(why, errLate)
	if errors.Is(why, errSilent) || r.view == nil && r.spare == nil && !late {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(r.grace, grace))
	defer cancel()
	if r.opened == nil && r.listen(ctx) != nil {
		return
	}
	for r.view == nil { // the stores are still being opened
		select {
		case here := <-r.opened:
			if here.value.off {
				return
			}
			if here.value.view != nil {
				r.has(here.value.view)
			}
		case user := <-r.spare:
			if user.value != nil {
				r.has(user.value)
			}
		case <-ctx.Done():
			return
		}
	}
	if r.view.Unrecorded {
		return
	}
	in, store := r.missed, r.view.Store
	in.Missed = readout.Flatten(why.Error(), maxWhy)
	_, _ = ask(func() (none struct{}, err error) {
		inject.Record(store, in)
		return none, nil
	}).wait(ctx)
}

// maxWhy is the length in characters of the longest reason in the record.
const maxWhy = 120

// receive reads an event, keeps the part of it that needs no store, and at the end of a
// conversation calls Ended.
func (h *Hook) receive(ctx context.Context, in io.Reader) (event, error) {
	e, err := readEvent(in)
	if err != nil {
		if h.Complain != nil {
			h.Complain("standard input: want the JSON object of an event")
		}
		return e, fmt.Errorf("standard input: %w: %w", errSilent, err)
	}
	if h.Away {
		e.stay()
	}
	h.as(e).record(ctx, e)
	if e.Name == setup.SessionEnd && h.Ended != nil {
		h.Ended(string(e.Dir))
	}
	return e, nil
}

// answer chooses the memories for an event, and claims them.
func (r *run) answer(ctx context.Context) (a reply, err error) {
	taken := r.take(ctx)
	injection, notice, err := r.inject(ctx)
	if err != nil {
		return a, err
	}
	part := r.askServer(ctx, &injection)
	said := notice()
	if ctx.Err() != nil {
		return a, errLate // Run may not have seen the deadline yet
	}
	return r.deliver(injection, part, said, taken)
}

// deliver claims the memories of an injection, and returns the answer with them, the server's part
// and what came of a capture.
func (r *run) deliver(injection inject.Injection, part Part, said string,
	taken func() (intake.Taken, bool)) (a reply, err error) {
	if !r.view.Unrecorded && injection.IsRecorded() {
		inject.Claim(r.view.Store, &injection)
	}
	if r.Away {
		a.out, err = sentAnswer(injection)
		return a, err
	}
	r.recordPart(injection.Missed, part.block)
	injection.Text += part.block.Text
	if said == "" && part.Said != "" && r.Client.TellsPerson {
		said = readout.Flatten("mem: "+part.Said, MaxNotice)
	}
	what, late := taken()
	if a.late = late; what.ToPerson != "" && r.Client.TellsPerson {
		said = readout.Flatten("mem: "+what.ToPerson, MaxNotice)
	}
	if what.ToModel != "" {
		injection.Text += what.ToModel + "\n"
	}
	a.out = r.event.encode(r.Client, injection.Text, said)
	return a, nil
}

// inject returns the memories for an event, and the notice to the person.
func (r *run) inject(ctx context.Context) (inject.Injection, func() string, error) {
	e, view, in := r.event, r.view, &r.missed
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

// choose chooses from the stores of a view. Where that fails, or takes two thirds of the time that
// is left, it chooses from the user's alone: a project's store must not silence the user's rules.
func (h *Hook) choose(ctx context.Context, view *View, c mem.Caller, o inject.Options) (
	inject.Injection, error) {
	if view.User == nil {
		return inject.Choose(ctx, view.Store, c, o)
	}
	in, err := ask(func() (inject.Injection, error) {
		return inject.Choose(ctx, view.Store, c, o)
	}).waitPart(ctx, 2./3)
	if err == nil {
		return in, nil
	}
	why := err.Error()
	h.debug(why)
	o.Names = nil
	in, err = inject.Choose(ctx, view.User, c, o)
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

// MaxNotice is the length in characters of the longest message to the person. Two commands with
// the paths of stores find room.
const MaxNotice = 600

// notice begins to ask for the one line that the client shows to the person, and returns how to get
// it: "" where there is none, or where it takes too long. A conversation has one at most.
func (h *Hook) notice(ctx context.Context, e event, view *View) func() string {
	if view.Notice == nil || e.Name != setup.SessionStart || !h.Client.TellsPerson {
		return func() string { return "" }
	}
	said := ask(func() (string, error) { return view.Notice(), nil })
	return func() string {
		text, _ := said.waitPart(ctx, 1./6) // a store that cannot be read has nothing to say
		if text != "" {
			text = readout.Flatten("mem: "+text, MaxNotice)
		}
		return text
	}
}

func (h *Hook) debug(msg string) {
	if h.Debug != nil {
		h.Debug(msg)
	}
}
