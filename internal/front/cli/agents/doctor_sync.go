package agents

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/layers"
)

// silent is after how long a destination or a machine is worth a warning; one that is silent for
// retired is no longer in use.
const (
	silent  = 30 * 24 * time.Hour
	retired = 3 * silent
)

// syncChecks returns the check of each destination of mem sync.
func syncChecks(l *layers.Layers, now time.Time) (list []doctor.Check) {
	state := l.Sites.Book.Dir()
	if state == "" || l.Sites.User == nil {
		return nil
	}
	places, err := exchange.PlacesIn(state)
	if err != nil {
		return []doctor.Check{{What: "sync", Message: err.Error(), Level: doctor.Bad,
			Fix: "remove that file, and join each destination again"}}
	}
	for _, one := range places.List {
		past := places.PastOf(one.ID, exchange.User, app.Absolute(l.Sites.User.Root))
		list = append(list, syncCheck(one, past, now))
	}
	return list
}

func syncCheck(one exchange.Stored, past exchange.Past, now time.Time) doctor.Check {
	c := doctor.Check{What: "sync", Level: doctor.OK, Message: fmt.Sprintf(
		"%s: %s, %d lines sent, %d received", one.Dest, text.Ago(now.Sub(past.At.Time())),
		past.Sent, past.Received)}
	if past.At == 0 {
		c.Message = one.Dest + ": no exchange yet"
	}
	if past.At == 0 || now.Sub(past.At.Time()) > silent {
		c.Level, c.Fix = doctor.Warn, "mem sync "+advice.Quote(one.Dest)
	}
	if one.Fault != "" {
		c.Message += "; the last exchange failed: " + one.Fault
		c.Level, c.Fix = doctor.Warn, "mem sync "+advice.Quote(one.Dest)
	}
	for _, id := range slices.Sorted(maps.Keys(past.Machines)) {
		m := past.Machines[id]
		if gone := now.Sub(m.At.Time()); silent < gone && gone < retired {
			c.Level = doctor.Warn
			c.Message += fmt.Sprintf("; %s sent nothing since %s", m,
				m.At.String()[:len("2006-01-02")])
			c.Fix = "run mem sync on that machine"
		}
	}
	return c
}
