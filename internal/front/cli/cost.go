package cli

import (
	"strconv"
	"time"

	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type costOptions struct {
	by    []string
	since string
}

func newCostCmd(a *app) *cobra.Command {
	o := &costOptions{}
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "add up the tokens that conversations were told",
		Long: `Add up what "mem hook" has told: tokens by the estimate that budgets count with, by
day, or by client, project or conversation, or by several of these. A day is one of the local time
zone, the newest first; else the dearest comes first, with what it was on a day on which it was told
anything. What names no project, as records of before, stands under "-".

It is counted from the record that "mem injections" shows, of which the older half goes at 256 KiB:
how far back it goes is said on stderr, and is since in the JSON.`,
		Example: `  mem cost
  mem cost --by project --since 7d
  mem cost --by day,client
  mem cost --jq .total.tokens`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.by, "by", []string{"day"},
		"by `WHAT`: day, client, project or conversation; several with commas")
	f.StringVar(&o.since, "since", "",
		"only what was told since this `TIME`: RFC 3339, or 12h, 7d, 2w ago")
	return cmd
}

func (o *costOptions) run(a *app, cmd *cobra.Command) error {
	if err := refuseEmpty(cmd, "since"); err != nil {
		return err
	}
	words := splitList(o.by)
	if len(words) == 0 {
		return &usage{what: "--by", why: "it is empty", hint: hintVariable}
	}
	by, err := inject.ParseBy(words)
	if err != nil {
		return err
	}
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	var since log.Stamp
	if at, err := parseWhen("--since", o.since, s.Now()); err != nil {
		return err
	} else if at != nil {
		since = *at
	}
	list, err := inject.Recorded(s, "", 0)
	if err != nil {
		return err
	}
	bill := inject.NewBill(list, since, by, time.Local)
	if a.asJSON() {
		return a.printValue(cmd, bill)
	}
	sayEmpty(a, cmd, s, bill.Count, "nothing was told")
	if err := printBill(a, cmd, bill, by, s.Now()); err != nil || bill.Count == 0 || !talks(a) {
		return err
	}
	say(a, cmd, count(bill.Total.Tokens, "token")+" told, "+count(bill.Total.Times, "time")+" on "+
		count(bill.Total.Days, "day")+", since "+shownTime(cmd.ErrOrStderr(), bill.Since))
	return nil
}

// printBill prints a line for each cost: what it is of, tokens and times; where that is no day also
// the tokens of one, and when it was told last.
func printBill(a *app, cmd *cobra.Command, bill inject.Bill, by inject.By, now time.Time) error {
	var t table
	each := func(c *inject.Cost) (row []string) {
		for _, f := range []struct {
			head, value string
			shown       bool
		}{
			{"DAY", c.Day, by.Day}, {"CLIENT", c.Client, by.Client},
			{"PROJECT", c.Project, by.Project},
			{"CONVERSATION", c.Conversation, by.Conversation},
			{"TOKENS", strconv.Itoa(c.Tokens), true}, {"TIMES", strconv.Itoa(c.Times), true},
			{"A DAY", strconv.Itoa(c.PerDay()), !by.Day}, {"LAST", lastTold(cmd, c, now), !by.Day},
		} {
			if !f.shown {
				continue
			}
			if f.value == "" {
				f.value = "-"
			}
			if len(t.rows) == 0 {
				t.head = append(t.head, f.head)
			}
			row = append(row, oneLine(f.value))
		}
		return row
	}
	for i := range bill.Costs {
		t.add(each(&bill.Costs[i])...)
	}
	return t.write(cmd, a)
}

// lastTold returns when something was told last: how long ago, for a person; in a pipe the time.
func lastTold(cmd *cobra.Command, c *inject.Cost, now time.Time) string {
	if terminal(cmd.OutOrStdout()) > 0 {
		return age(c.Last, now)
	}
	return c.Last.String()
}
