package records

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type eventOptions struct {
	scope ledger.Scope
	actor string
	kind  string
	tags  []string
	text  string
}

func NewEventCmd(a *app.App) *cobra.Command {
	o := &eventOptions{}
	cmd := &cobra.Command{
		Use:         "event [<json>]",
		Short:       "record an event: a message, a tool call, its result",
		Annotations: app.GivenArgs(app.AtFile),
		Long: `Record an event and print its id and those of its chunks. An event is a JSON
object with session_id, channel, actor, kind, sensitivity, tags, content, refs,
at (its time) and event_id (evt_ and a ULID); flags supply missing members. An
event that comes again with its event_id is stored once. "-" reads standard
input and "@file" a file, one event on each line: all are stored or none.

A secret is stored as [redacted: RULE], and the answer names its place. An
event with sensitivity secret is stored without content. A text over 65,536
bytes becomes an artifact, and the event keeps its beginning. Only mem forget
--purge removes an event.`,
		Example: `  mem event --session s1 --text 'what is this project for?'
  mem event --session s1 --kind tool_result --actor tool:fs.read_file \
    '{"content":{"tool":"fs.read_file","path":"README.md","text":"..."}}'
  mem event - < events.jsonl`,
		Args: app.WantArgs(0, 1, "one event, - or @file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, strings.Join(args, ""))
		},
	}
	registerScope(cmd, &o.scope)
	f := cmd.Flags()
	f.StringVar(&o.actor, "actor", "", "the actor `TYPE:ID`, of type human, agent or tool\n"+
		"(default of a --text: the agent of --agent or $MEM_AGENT, else human:user)")
	f.StringVar(&o.kind, "kind", "",
		"`KIND` message, tool_call, tool_result, decision, task_update or artifact")
	f.StringArrayVar(&o.tags, "tag", nil, "a `TAG`; several with commas or by repeating")
	f.StringVar(&o.text, "text", "", "the `TEXT` of its content, which may be - or @file")
	app.GivenFlags(cmd, app.AtFile, "text")
	return cmd
}

func (o *eventOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	if err := o.resolve(a, cmd); err != nil {
		return err
	}
	events, err := o.events(a, cmd, arg)
	if err != nil {
		return err
	}
	book, err := openBook(a, cmd, keypath.Events)
	if err != nil {
		return err
	}
	answers, err := book.Record(cmd.Context(), events...)
	for _, one := range answers {
		if err := a.PrintValue(cmd, one); err != nil {
			return err
		}
	}
	return err
}

// resolve reads what --text names, and checks --actor.
func (o *eventOptions) resolve(a *app.App, cmd *cobra.Command) (err error) {
	if kind, id, ok := strings.Cut(o.actor, ":"); o.actor != "" && (!ok || kind == "" || id == "") {
		return app.BadInput(fmt.Sprintf("--actor %.80q", o.actor), "want TYPE:ID",
			"--actor human:"+cmp.Or(strings.Trim(o.actor, ":"), "user"))
	}
	given := o.text
	o.text, err = longText(a, cmd, "--text", given, policy.MaxBatchLine)
	if err == nil && o.text == "" && given != "" {
		err = app.BadInput("--text "+given, "there is no text in it", "")
	}
	return err
}

// defaultActor returns the actor of a --text that names none: the agent, else the user.
func (o *eventOptions) defaultActor(a *app.App, e *ledger.Event) ledger.Actor {
	if agent := cmp.Or(e.Agent, a.Caller.Agent); agent != "" {
		return ledger.Actor{Type: "agent", ID: agent}
	}
	return ledger.Actor{Type: "human", ID: "user"}
}

func (o *eventOptions) events(a *app.App, cmd *cobra.Command, arg string) (
	list []ledger.Event, err error) {
	in, err := a.Given(cmd, app.AtFile, arg)
	switch {
	case arg == "" && o.text == "":
		return nil, app.BadInput("event", "there is nothing to record",
			"give a JSON object, or --text")
	case err != nil:
		return nil, app.BadInput("event", app.Message(err), "")
	case in != nil:
		defer in.Close()
		return o.lines(a, in)
	}
	e, err := o.event(a, []byte(cmp.Or(arg, "{}")))
	if err != nil && arg != "" && !strings.ContainsAny(arg[:1], "{[\"") {
		err = app.BadInput("event", "want a JSON object", "--text records a plain text")
	}
	return []ledger.Event{e}, err
}

// lines reads one event from each line. All that are bad are named.
func (o *eventOptions) lines(a *app.App, in io.Reader) (list []ledger.Event, err error) {
	var bad []*mem.LineError
	in, err = app.BatchInput(in)
	if err != nil {
		return nil, err
	}
	err = mem.EachLine(in, func(n int, line []byte, err error) {
		var e ledger.Event
		if err == nil {
			e, err = o.event(a, bytes.Clone(line))
		}
		if err == nil {
			err = e.Check()
		}
		if err != nil {
			bad = append(bad, &mem.LineError{Line: n, Err: err})
		}
		list = append(list, e)
	})
	if err == nil && len(bad) > 0 {
		err = &mem.BatchError{Lines: bad}
	}
	return list, err
}

// event reads one event, and adds what the flags say of it.
func (o *eventOptions) event(a *app.App, text []byte) (e ledger.Event, err error) {
	if len(text) > policy.MaxBatchLine {
		return e, policy.CheckLine(len(text))
	}
	if err = request.Decode("event", text, &e); err != nil {
		return e, err
	}
	e.Session = cmp.Or(e.Session, o.scope.Session)
	e.Agent = cmp.Or(e.Agent, o.scope.Agent)
	e.Channel = cmp.Or(e.Channel, o.scope.Channel)
	e.Sensitivity = cmp.Or(e.Sensitivity, o.scope.Sensitivity)
	e.Kind = cmp.Or(e.Kind, o.kind)
	e.Tags = append(e.Tags, app.SplitList(o.tags)...)
	e.Refs = append(e.Refs, o.scope.Refs...)
	if e.Actor == (ledger.Actor{}) {
		e.Actor.Type, e.Actor.ID, _ = strings.Cut(o.actor, ":")
	}
	if o.text == "" {
		return e, nil
	}
	if len(e.Content) > 0 {
		return e, app.BadInput("--text", "the event has a content already", "")
	}
	if e.Content, err = json.Marshal(map[string]string{"text": o.text}); err != nil {
		return e, err
	}
	if e.Kind == "" {
		e.Kind = "message"
	}
	if e.Actor == (ledger.Actor{}) && !strings.HasPrefix(e.Kind, "tool_") {
		e.Actor = o.defaultActor(a, &e)
	}
	return e, nil
}
