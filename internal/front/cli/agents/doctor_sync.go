package agents

import (
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/layers"
)

// syncChecks returns the check of each destination of mem sync.
func syncChecks(l *layers.Layers, now time.Time) (list []doctor.Check) {
	rows, err := app.Exchanges(l)
	if err != nil {
		return []doctor.Check{{What: "sync", Message: err.Error(), Level: doctor.Bad,
			Fix: "remove that file, and join each destination again"}}
	}
	for _, row := range rows {
		list = append(list, syncCheck(row, now))
	}
	if len(rows) == 0 {
		return nil
	}
	apart, _ := l.Sites.Apart() // what cannot be read has checks of its own
	for _, one := range apart {
		if p := l.Sites.Project; p != nil && p.Repo != nil && p.Repo.Common == one.Common {
			continue // the check of the project names it
		}
		list = append(list, doctor.Check{What: "sync", Level: doctor.Warn,
			Message: app.Worktree(one.Common) + ": " + app.ApartText,
			Fix:     "mem project link " + one.ID + ", typed there, shows both, and asks"})
	}
	return list
}

func syncCheck(row places.Row, now time.Time) doctor.Check {
	line, hasSilent := app.Exchanged(row, now)
	c := doctor.Check{What: "sync", Level: doctor.OK, Message: row.Dest + ": " + line}
	switch {
	case row.Fault != "" || row.At == 0 || now.Sub(row.At.Time()) > app.Silent:
		c.Level, c.Fix = doctor.Warn, "mem sync "+advice.Quote(row.Dest)
	case hasSilent:
		c.Level, c.Fix = doctor.Warn, "run mem sync on that machine; one that is no more is "+
			"not named after 90 days"
	}
	return c
}
