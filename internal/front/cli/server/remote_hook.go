package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/readout"
)

// Answer answers an event of a client from a memory behind a server. While that is out of reach its
// last answer to a start stands in, with its age.
func Answer(ctx context.Context, a *app.App, at app.ServedAt, args []string,
	in hook.Forwarded) hook.Part {
	client, _, login, err := clientOf(a, at.URL)
	if err != nil {
		return missed(mem.Message(err), in)
	}
	part := answerBy(ctx, a, at, client, login, args, in)
	part.Rules = takesRules(a, at, login)
	return part
}

// takesRules reports whether a person has let the rules of a project's server bind the agents here.
func takesRules(a *app.App, at app.ServedAt, login remote.Login) bool {
	if at.Root == "" {
		return false
	}
	home, _ := os.UserHomeDir() // without one nothing is trusted
	book := site.OpenBook(a.Getenv, home)
	grant, ok, err := book.Look(at.Root)
	return ok && err == nil && book.TakesRules(grant, serverID(at.URL, login))
}

// answerBy is Answer by a client.
func answerBy(ctx context.Context, a *app.App, at app.ServedAt, client *remote.Client,
	login remote.Login, args []string, in hook.Forwarded) hook.Part {
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
		return missed(at.URL+": "+err.Error(), in)
	}
	isWhole := in.IsStart && !in.Resumes
	if isWhole || last.Out != 0 {
		last.URL, last.Root, last.Out = at.URL, at.Root, 0
		if isWhole {
			last.At, last.Sent = starts.Now(), part.Sent
		}
		_ = starts.Keep(id, last) // without it the next one out of reach has less
	}
	return part
}

// missed returns the answer to an event that no server has answered; a person hears why at a start.
func missed(why string, in hook.Forwarded) hook.Part {
	part := hook.Part{Missed: why}
	if in.IsStart {
		part.Said = why
	}
	return part
}

// withoutServer returns what there is to say where a server has not answered; none of it are words
// of the server. One that refuses the token takes away what it gave for it.
func withoutServer(a *app.App, at app.ServedAt, id string, last hook.Start, in hook.Forwarded,
	err error) hook.Part {
	var failed *remote.Error
	isRemote := errors.As(err, &failed)
	why := "its answer is not that of a hook"
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		why = inject.TooLate
	case isRemote && failed.IsRefusal():
		why = "it does not take the token; mem token login " + at.URL + " stores another one"
	case isRemote && failed.Status != 0:
		why = fmt.Sprintf("it answers %d", failed.Status)
	case isRemote:
		why = failed.Why
	}
	part := missed(at.URL+": "+why, in)
	if !isRemote || failed.Status != 0 && failed.Status < http.StatusInternalServerError {
		return part
	}
	now := a.Starts().Now()
	switch {
	case in.IsStart && last.IsText():
		part.Said += "; its last answer here is of an older mem, and is left out"
	case in.IsStart && !last.Sent.Empty():
		age := readout.Age(now.Time().Sub(last.At.Time()))
		part.Sent, part.Before = last.Sent, "The memory at "+at.URL+
			" is out of reach. This is its answer of "+age+" ago:\n"
		part.Said += "; injected its answer of " + age + " ago"
	}
	if last.At == 0 {
		last.At = now
	}
	last.URL, last.Root, last.Out = at.URL, at.Root, now
	_ = a.Starts().Keep(id, last) // without it each prompt asks again
	return part
}
