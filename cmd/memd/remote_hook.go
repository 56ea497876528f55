package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/readout"
)

// answer answers an event of a client from a memory behind a server. While that is out of reach its
// last answer to a start stands in, with its age.
func answer(ctx context.Context, a *app.App, at app.ServedAt, args []string,
	in hook.Forwarded) hook.Part {
	client, _, login, err := clientOf(a, at.URL)
	if err != nil {
		return hook.Part{Missed: mem.Message(err)}
	}
	starts := a.Starts()
	id := hook.StartID(append([]string{at.URL, login.Token, at.Root, a.Caller.Agent}, args...)...)
	last := starts.Load(id)
	if !in.IsStart && starts.IsQuiet(last) {
		return hook.Part{Missed: login.Origin + " was out of reach a moment ago"}
	}
	printed, err := askOf(ctx, a, client, at, in.Event, args...)
	if err != nil {
		return withoutServer(a, at, id, last, in, err)
	}
	part, err := hook.PartOf(printed)
	if err != nil {
		return hook.Part{Missed: at.URL + ": " + err.Error()}
	}
	if in.IsStart && in.Fits(part.Text) || last.Out != 0 {
		last.URL, last.Root, last.Out = at.URL, at.Root, 0
		if in.IsStart && in.Fits(part.Text) {
			last.At, last.Text = starts.Now(), part.Text
		}
		_ = starts.Keep(id, last) // without it the next one out of reach has less
	}
	return part
}

// withoutServer returns what there is to say where a server has not answered. One that refuses the
// token takes away what it gave for it.
func withoutServer(a *app.App, at app.ServedAt, id string, last hook.Start, in hook.Forwarded,
	err error) hook.Part {
	part := hook.Part{Missed: mem.Message(err)}
	if errors.Is(err, context.DeadlineExceeded) {
		part.Missed = at.URL + ": " + hook.TooLate
	}
	if in.IsStart {
		part.Said = part.Missed
	}
	var failed *remote.Error
	switch {
	case !errors.As(err, &failed): // it has answered, and not what it should
	case failed.Status == http.StatusUnauthorized, failed.Status == http.StatusForbidden:
		_ = a.Starts().Drop(at.URL, "") // else they expire
	case failed.Status == 0, failed.Status >= http.StatusInternalServerError:
		now := a.Starts().Now()
		if in.IsStart && last.Text != "" {
			age := readout.Age(now.Time().Sub(last.At.Time()))
			part.Text = "The memory at " + at.URL + " is out of reach. This is its answer of " +
				age + " ago:\n" + last.Text
			part.Said += "; injected its answer of " + age + " ago"
		}
		if last.At == 0 {
			last.At = now
		}
		last.URL, last.Root, last.Out = at.URL, at.Root, now
		_ = a.Starts().Keep(id, last) // without it each prompt asks again
	}
	return part
}
