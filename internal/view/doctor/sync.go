package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/layers"
)

// exchanges returns the check of each destination of mem sync.
func (e *Exam) exchanges() (list []Check) {
	sites := &e.Layers.Sites
	rows, err := places.Exchanges(sites)
	if err != nil {
		return []Check{{What: "sync", Message: err.Error(), Level: Bad,
			Fix: "remove that file, and join each destination again"}}
	}
	for _, row := range rows {
		list = append(list, syncCheck(row, e.Options.Now()))
	}
	if len(rows) == 0 {
		return nil
	}
	apart, _ := sites.Apart() // what cannot be read has checks of its own
	for _, one := range apart {
		if p := sites.Project; p != nil && p.Repo != nil && p.Repo.Common == one.Common {
			continue // the check of the project names it
		}
		list = append(list, Check{What: "sync", Level: Warn,
			Message: site.Worktree(one.Common) + ": " + layers.ApartText,
			Fix:     "mem project link " + one.ID + ", typed there, shows both, and asks"})
	}
	return append(list, unplacedCheck(sites)...)
}

// maxUnplaced is how many projects without a repository one check names.
const maxUnplaced = 5

// unplacedCheck returns the check that names the projects of other machines whose repository is not
// on this one, or does not show that it is theirs: nothing is wrong with them, and no session here
// reads them.
func unplacedCheck(sites *site.Sites) []Check {
	unplaced, _ := sites.Unplaced() // what cannot be read has checks of its own
	if len(unplaced) == 0 {
		return nil
	}
	var names []string
	for _, one := range unplaced[:min(len(unplaced), maxUnplaced)] {
		names = append(names, one.Name())
	}
	if more := len(unplaced) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return []Check{{What: "sync", Level: OK,
		Message: "no repository here uses what came for " + strings.Join(names, ", ") +
			"; mem project link with these digits, typed in its repository, shows both, and asks"}}
}

func syncCheck(row places.Row, now time.Time) Check {
	line, hasSilent := row.Line(now)
	c := Check{What: "sync", Level: OK, Message: row.Dest + ": " + line}
	switch {
	case row.Behind != 0:
		c.Level, c.Fix = Warn, "set the clock of this machine: two others say that it is "+
			row.Behind.String()+" or later"
	case row.Ahead > 0:
		c.Level, c.Fix = Warn, fmt.Sprintf("no other machine takes %s ahead of this "+
			"machine's clock: if that is right, mem fsck --repair --trust-clock gives them "+
			"a time of now",
			text.Count(row.Ahead, "line"))
	case row.Overtaken > 0:
		c.Level, c.Fix = Warn, "mem fsck --repair sets aside "+
			text.Count(row.Overtaken, "line")+" that another machine has taken with another time"
	case len(row.Waiting) > 0:
		c.Level, c.Fix = Warn, "mem sync late lists the lines that wait, --take takes them"
	case len(row.Unread) > 0:
		c.Level, c.Fix = Warn, unreadFix(row, now)
	case row.Fault != "" || row.At == 0 || now.Sub(row.At.Time()) > places.Silent:
		c.Level, c.Fix = Warn, "mem sync "+advice.Quote(row.Dest)
	case hasSilent:
		c.Level, c.Fix = Warn, "run mem sync on that machine; one that is no more is "+
			"not named after 90 days"
	}
	return c
}

// unreadFix says what becomes of segments that cannot be read: for a day a program may still copy
// them, and then the machine that has their lines sends them again.
func unreadFix(row places.Row, now time.Time) string {
	names := slices.Sorted(maps.Keys(row.Unread))
	one := row.Unread[names[0]]
	why := fmt.Sprintf("%s cannot be read (%.8s: %s)", text.Count(len(names), "segment"), names[0],
		text.Line(one.Why))
	const week = 7 * 24 * time.Hour
	if now.Sub(one.Since.Time()) < week {
		return why + "; run mem sync on each of your machines: the one that has their lines " +
			"sends them again after a day"
	}
	return why + "; no machine sends them again: remove the files below " +
		advice.Quote(row.Dest)
}
