package hook

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/readout"
)

// Deadline is how long a hook may keep a person waiting.
const Deadline = 300 * time.Millisecond

// around is what of it the process needs to start and to end.
const around = 25 * time.Millisecond

// Hook answers one event of a client.
type Hook struct {
	Client   *setup.Client
	Agent    string                          // the id of the agent that runs there; "" for none
	Keeps    bool                            // it is told what it keeps for itself
	Open     func(dir string) (*View, error) // what a working directory is told of; "" is ours
	Debug    func(msg string)                // takes why there is no answer; may be nil
	Deadline time.Duration                   // 0 is [Deadline]
	Zone     *time.Location                  // of the days that are told; nil: UTC
}

// View is what the conversations of a working directory are told of.
type View struct {
	Store      *mem.Store
	Layered    bool   // as in inject.Options
	Repository bool   // as in inject.Options
	UserRules  bool   // as in inject.Options
	Project    string // as in inject.Options
	// User is the user's store alone, for when the other cannot be read, or takes too long; nil:
	// there is no other.
	User *mem.Store
	// Names is as in inject.Options.
	Names *mem.Store
	// Personal is the store of what agents keep for themselves; nil: none that may be told.
	Personal *mem.Store
	// Unrecorded is whether there is no place for a record of what was told: then it is told again.
	Unrecorded bool
	// Notice returns what the person should know of the stores, without "mem: "; "" for nothing. It
	// is asked when a session begins; nil for nothing.
	Notice func() string
}

// Run reads an event and prints its answer, or nothing. It does not fail: nothing that can happen
// to a memory is worth disturbing a conversation.
func (h *Hook) Run(in io.Reader, out io.Writer) {
	limit := h.limit()
	timeout := time.After(limit)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	answers := make(chan reply, 1)
	h.async(func() error {
		r, err := h.reply(ctx, in)
		if err == nil {
			answers <- r
		}
		return err // which async reports before it sends an empty answer
	}, answers)
	select {
	case r := <-answers:
		h.deliver(r, out, timeout)
	case <-timeout:
		h.debug("the deadline of " + limit.String() + " has passed")
	}
}

func (h *Hook) limit() time.Duration {
	limit := cmp.Or(h.Deadline, Deadline)
	return max(limit-around, limit/2)
}

// reply is an answer, and how to record that it was delivered.
type reply struct {
	answer []byte
	record func()
}

// async runs fn in a goroutine. If fn sends no answer, be it for an error or a panic, async sends
// an empty one.
func (h *Hook) async(fn func() error, answers chan<- reply) {
	go func() {
		defer func() {
			if cause := recover(); cause != nil {
				h.debug(fmt.Sprint("panic: ", cause))
			}
			select {
			case answers <- reply{}:
			default:
			}
		}()
		if err := fn(); err != nil {
			h.debug(err.Error())
		}
	}()
}

// deliver prints an answer, and only then records it.
func (h *Hook) deliver(r reply, out io.Writer, timeout <-chan time.Time) {
	if len(r.answer) > 0 {
		if _, err := out.Write(r.answer); err != nil {
			return
		}
	}
	if r.record == nil {
		return
	}
	recorded := make(chan reply, 1)
	h.async(func() error {
		r.record()
		return nil
	}, recorded)
	select {
	case <-recorded:
	case <-timeout:
	}
}

func (h *Hook) reply(ctx context.Context, in io.Reader) (r reply, err error) {
	e, err := readEvent(in)
	if err != nil {
		return r, fmt.Errorf("standard input: %w", err)
	}
	trigger, ok := e.trigger()
	if !ok {
		return r, fmt.Errorf("event %.40q: nothing to say", string(e.Name))
	}
	view, err := h.Open(string(e.Dir))
	if err != nil {
		return r, err
	}
	block := readout.Block{Teach: trigger == inject.AtStart, Most: maxAnswer,
		Unit: unitOf(h.Client)}
	caller := mem.Caller{Session: string(e.Session), Agent: h.Agent, Channel: "hook"}
	notice := h.notice(e, view)
	o := inject.Options{
		Unrecorded: view.Unrecorded,
		Client:     h.Client.Name, Conversation: string(e.Session), Event: string(e.Name),
		Trigger: trigger, Message: e.message(), Retained: e.retained(h.Client), Block: block,
		Layered: view.Layered, Repository: view.Repository, UserRules: view.UserRules,
		Project: view.Project, Names: view.Names, Zone: h.Zone,
	}
	if h.Keeps {
		o.Personal = view.Personal
	}
	injection, err := h.choose(ctx, view, caller, o)
	if err != nil {
		return r, err
	}
	if !view.Unrecorded {
		r.record = func() { inject.Record(view.Store, injection) }
	}
	r.answer = e.answer(injection.Text, notice())
	return r, nil
}

// choose chooses from the stores of a view. Where that fails, or is not done when two thirds of the
// time have passed, it chooses from the user's alone: a project's store can be made so that it
// cannot be read, and must not silence the user's rules.
func (h *Hook) choose(ctx context.Context, view *View, c mem.Caller, o inject.Options) (
	inject.Injection, error) {
	if view.User == nil {
		return inject.Choose(ctx, view.Store, c, o)
	}
	chosen := make(chan inject.Injection, 1)
	failed := make(chan error, 1)
	go func() {
		defer func() {
			if cause := recover(); cause != nil {
				failed <- fmt.Errorf("panic: %v", cause)
			}
		}()
		in, err := inject.Choose(ctx, view.Store, c, o)
		if err != nil {
			failed <- err
			return
		}
		chosen <- in
	}()
	select {
	case in := <-chosen:
		return in, nil
	case err := <-failed:
		h.debug(err.Error())
	case <-time.After(h.limit() * 2 / 3):
		h.debug("two thirds of the deadline have passed: only the user's store is asked")
	}
	o.Names = nil
	return inject.Choose(ctx, view.User, c, o)
}

// maxNotice is the length in characters of the longest message to the person.
const maxNotice = 300

// notice begins to ask for the one line that the client shows to the person, and returns how to get
// it: "" where there is none, or where it takes too long. Once in a conversation is enough, and
// where the client has no place for it that the model does not read, it is not said.
func (h *Hook) notice(e event, view *View) func() string {
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
				text = readout.Flatten("mem: "+text, maxNotice)
			}
			return text
		case <-time.After(h.limit() / 6):
			return ""
		}
	}
}

func (h *Hook) debug(msg string) {
	if h.Debug != nil {
		h.Debug(msg)
	}
}
