package cli

import (
	"strconv"
	"time"

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

func (o *billOptions) run(a *app, cmd *cobra.Command) error {
	words, err := listFlag("by", o.by)
	if err != nil {
		return err
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
	sayEmpty(a, cmd, s, bill.Count, "no injections")
	t := billTable(cmd, bill, by, s.Now())
	if err := a.answer(cmd, bill, t.write); err != nil || bill.Count == 0 {
		return err
	}
	mention(a, cmd, count(bill.Total.Tokens, "token")+" injected, "+count(bill.Total.Times, "time")+
		" on "+count(bill.Total.Days, "day")+", since "+shownTime(cmd.ErrOrStderr(), bill.Since))
	return nil
}

// billTable has a line for each cost: what it is of, tokens and times; where that is no day also
// the tokens of one, and the last injection.
func billTable(cmd *cobra.Command, bill inject.Bill, by inject.By, now time.Time) *table {
	t := &table{}
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
	return t
}

// lastInjected returns the time of the last injection: an age for a person; in a pipe the time.
func lastInjected(cmd *cobra.Command, c *inject.Cost, now time.Time) string {
	if terminal(cmd.OutOrStdout()) > 0 {
		return age(c.Last, now)
	}
	return c.Last.String()
}
