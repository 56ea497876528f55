package agents

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type injectionsOptions struct {
	limit        int
	conversation string
	why          bool
	next         bool
	bill         billOptions
}

func NewInjectionsCmd(a *app.App) *cobra.Command {
	o := &injectionsOptions{}
	cmd := &cobra.Command{
		Use:   "injections",
		Short: "show the injections of hooks into conversations",
		Long: `Print the injections of "mem hook", the newest last: time, client, event,
conversation, tokens, and the keys of the memories. own is the private page of
an agent (mem read --format private); missed is the reason why an injection is
empty or incomplete. --why adds the memories that were found and left out. The
record holds no text, and loses its older half at 256 KiB. --next prints the
memories that a new session here would begin with, and records nothing.

--cost adds up the estimated tokens by day, client, project or conversation.
Days are of the local time zone, newest first; other groups list the greatest
cost first, with their average of a day that had an injection. Conversations
without a project count under "-". stderr names the first record, in JSON
since.`,
		Example: `  mem injections
  mem injections --next
  mem injections --why --limit 5
  mem injections --jq '.injections[-1].memories[].key'
  mem injections --cost --by project --since 7d`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.IntVar(&o.limit, "limit", 20, "the greatest number of injections: the newest `N`")
	f.StringVar(&o.conversation, "conversation", "", "only of the conversation with this `ID`")
	f.BoolVar(&o.why, "why", false, "also the memories that were left out, with the reason")
	f.BoolVar(&o.next, "next", false, "the memories that a new session here would begin with")
	o.bill.register(cmd)
	return cmd
}

func (o *injectionsOptions) run(a *app.App, cmd *cobra.Command) error {
	if o.next {
		if o.bill.wanted || o.why || o.conversation != "" || cmd.Flags().Changed("limit") {
			return app.BadInput("--next", "the other flags are about past injections", "")
		}
		return printNextSession(a, cmd)
	}
	if o.bill.wanted {
		return o.bill.run(a, cmd)
	}
	if o.limit <= 0 {
		return app.BadInput("--limit", "want a number above 0", "")
	}
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	list, err := inject.Recorded(s, o.conversation, o.limit)
	if err != nil {
		return err
	}
	none := "no injections yet"
	if o.conversation != "" {
		none = "no injections into this conversation"
	}
	a.SayEmpty(cmd, s, len(list), none)
	return a.Answer(cmd, inject.NewList(list), func(*app.App, *cobra.Command) error {
		return o.print(a, cmd, list, s.Now())
	})
}

// printNextSession prints the text of the next start.
func printNextSession(a *app.App, cmd *cobra.Command) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	in, err := nextSession(cmd.Context(), l)
	if err != nil {
		return err
	}
	if why := l.Sites.WhyOff(a.Getenv); why != "" && a.Talks() {
		a.Tell(cmd, "warning", "no hook brings this: "+why)
	}
	if at := app.ServedIn(&l.Sites); at.URL != "" && a.Talks() {
		a.Tell(cmd, "hint", "without the memories of the project, which are at "+at.URL)
	}
	if len(in.Memories) == 0 && a.Explains() {
		a.Tell(cmd, "hint", "a new session begins without memories; mem note TEXT stores one")
	}
	answer := struct {
		inject.Injection
		Text string `json:"text"`
	}{in, in.Text}
	return a.Answer(cmd, answer, app.Verbatim(in.Text))
}

func (o *injectionsOptions) print(a *app.App, cmd *cobra.Command, list []inject.Injection,
	now time.Time) error {
	if width := app.Terminal(cmd.OutOrStdout()); width > 0 {
		return o.blocks(a, cmd, list, width, now)
	}
	t := app.Table{}
	for _, in := range list {
		t.Add(in.At.String(), app.OneLine(in.Client), app.OneLine(in.Event),
			app.OneLine(in.Conversation), strconv.Itoa(in.Tokens),
			strings.Join(o.memories(in), " "))
	}
	return t.Write(a, cmd)
}

// blocks prints for a person each injection on lines of its own, of which none is cut.
func (o *injectionsOptions) blocks(a *app.App, cmd *cobra.Command, list []inject.Injection,
	width int, now time.Time) error {
	w := cmd.OutOrStdout()
	for _, in := range list {
		title := fmt.Sprintf("%s ago: %s %s, %s", app.Age(in.At, now), in.Client, in.Event,
			app.Count(in.Tokens, "token"))
		if in.Conversation != "" {
			title += ", " + in.Conversation
		}
		var text strings.Builder
		for line := range strings.Lines(term.Fill(app.OneLine(title), "", "  ", width)) {
			text.WriteString(a.Paint(w, term.Bold, strings.TrimSuffix(line, "\n")) + "\n")
		}
		for _, line := range o.memories(in) {
			text.WriteString(term.Fill(line, "  ", "    ", width))
		}
		if _, err := io.WriteString(w, text.String()); err != nil {
			return err
		}
	}
	return nil
}

func (o *injectionsOptions) memories(in inject.Injection) (parts []string) {
	if in.Own != nil {
		parts = append(parts, "own") // the page of an agent, which has no one key
	}
	for _, m := range in.Memories {
		parts = append(parts, keypath.Show(m.Key))
	}
	if in.Missed != "" {
		parts = append(parts, "(missed: "+in.Missed+")")
	}
	if o.why {
		for _, left := range in.Left {
			parts = append(parts, "("+left.Why+": "+keypath.Show(left.Key)+")")
		}
		if more := in.LeftOut - len(in.Left); more > 0 {
			parts = append(parts, "("+strconv.Itoa(more)+" more left out)")
		}
		if len(parts) == 0 {
			parts = append(parts, "(nothing fits)")
		}
	}
	for i := range parts {
		parts[i] = app.OneLine(parts[i])
	}
	return parts
}
