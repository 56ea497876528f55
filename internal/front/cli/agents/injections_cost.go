package agents

import (
	"strconv"
	"time"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// billOptions are the flags of injections with --cost.
type billOptions struct {
	wanted bool
	by     []string
	since  string
}

func (o *billOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.wanted, "cost", false, "the sums of injected tokens")
	f.StringArrayVar(&o.by, "by", []string{"day"},
		"with --cost: the group `WHAT`: day, client, project or conversation; several with commas")
	f.StringVar(&o.since, "since", "",
		"with --cost: only injections since this `TIME`: RFC 3339, or 12h, 7d, 2w ago")
}

func (o *billOptions) run(a *app.App, cmd *cobra.Command) error {
	words, err := app.ListFlag("by", o.by)
	if err != nil {
		return err
	}
	by, err := inject.ParseBy(words)
	if err != nil {
		return err
	}
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	var since log.Stamp
	if at, err := app.ParseWhen("--since", o.since, s.Now()); err != nil {
		return err
	} else if at != nil {
		since = *at
	}
	list, err := inject.Recorded(s, "", 0)
	if err != nil {
		return err
	}
	bill := inject.NewBill(list, since, by, time.Local)
	a.SayEmpty(cmd, s, bill.Count, "no injections")
	t := billTable(cmd, bill, by, s.Now())
	if err := a.Answer(cmd, bill, t.Write); err != nil || bill.Count == 0 {
		return err
	}
	a.Mention(cmd, app.Count(bill.Total.Tokens, "token")+" injected, "+
		app.Count(bill.Total.Times, "time")+" on "+app.Count(bill.Total.Days, "day")+
		", since "+app.ShownTime(cmd.ErrOrStderr(), bill.Since))
	return nil
}

// billTable has a line for each cost: what it is of, tokens and times; where that is no day also
// the tokens of one, and the last injection.
func billTable(cmd *cobra.Command, bill inject.Bill, by inject.By, now time.Time) *app.Table {
	t := &app.Table{}
	each := func(c *inject.Cost) (row []string) {
		for _, f := range []struct {
			head, value string
			shown       bool
		}{
			{"DAY", c.Day, by.Day}, {"CLIENT", c.Client, by.Client},
			{"PROJECT", c.Project, by.Project},
			{"CONVERSATION", c.Conversation, by.Conversation},
			{"TOKENS", strconv.Itoa(c.Tokens), true}, {"TIMES", strconv.Itoa(c.Times), true},
			{"A DAY", strconv.Itoa(c.PerDay()), !by.Day},
			{"LAST", lastInjected(cmd, c, now), !by.Day},
		} {
			if !f.shown {
				continue
			}
			if f.value == "" {
				f.value = "-"
			}
			if len(t.Rows) == 0 {
				t.Head = append(t.Head, f.head)
			}
			row = append(row, app.OneLine(f.value))
		}
		return row
	}
	for i := range bill.Costs {
		t.Add(each(&bill.Costs[i])...)
	}
	return t
}

// lastInjected returns the time of the last injection: an age for a person; in a pipe the time.
func lastInjected(cmd *cobra.Command, c *inject.Cost, now time.Time) string {
	if app.Terminal(cmd.OutOrStdout()) > 0 {
		return app.Age(c.Last, now)
	}
	return c.Last.String()
}
