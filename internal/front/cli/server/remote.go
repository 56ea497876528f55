package server

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"sync"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/draft"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/spf13/cobra"
)

// forwarding is a verb that runs on a memory behind a server.
type forwarding struct {
	a       *app.App
	cmd     *cobra.Command
	at      site.Address
	client  *remote.Client
	request *wire.Request
	draft   *draft.Draft // with the text that was edited here; nil: none was
	given   map[string]bool
	stdout  io.Writer
}

// Forward runs a verb on a memory behind a server, and ends as it ends there.
func Forward(a *app.App, cmd *cobra.Command, to app.ServedAt) error {
	client, at, _, err := clientOf(a, to.URL)
	if err != nil {
		return err
	}
	f := &forwarding{a: a, cmd: cmd, at: at, client: client, given: map[string]bool{}}
	f.request = &wire.Request{Args: wire.Bytes(a.Args), Root: at.URL(), Env: sentEnv(a),
		Project: to.Project,
		Out:     app.Terminal(cmd.OutOrStdout()), Err: app.Terminal(cmd.ErrOrStderr()),
		Attended: app.IsTerminal(cmd)}
	return f.run()
}

func (f *forwarding) run() (err error) {
	// Before the server runs a verb whose answer a wrong filter would refuse.
	stdout := f.shown(f.cmd.OutOrStdout(), f.request.Out, false)
	if f.stdout, err = f.a.Filtered(stdout); err != nil {
		return err
	}
	for {
		reply, err := f.client.Run(f.cmd.Context(), f.request)
		if err != nil {
			return dropRefused(f.a, f.at.URL(), err)
		}
		isAnswer := reply.Want == nil
		if !isAnswer {
			isAnswer, err = f.give(*reply.Want, reply.Printed)
		}
		if err != nil {
			return err
		}
		if isAnswer {
			if err := f.print(reply.Printed); err != nil {
				return err
			}
			f.keepDraft(reply.Exit)
			if slices.Contains(forgetting, f.cmd.Name()) && reply.Exit == 0 {
				_ = f.a.Starts().Drop(f.at.URL(), "") // else they expire
			}
			return app.Ended(reply.Exit)
		}
	}
}

func (f *forwarding) print(printed []wire.Piece) error {
	stderr := f.shown(f.cmd.ErrOrStderr(), f.request.Err, true)
	for _, piece := range printed {
		to := f.stdout
		if piece.IsErr {
			to = stderr
		}
		// Standard output remembers that it failed; a filter has an error of its own.
		if _, err := to.Write(piece.Text); err != nil && f.a.JQ != "" && !piece.IsErr {
			return err
		}
	}
	return nil
}

// forModels are verbs that print pages for a model, without colours, and linesOnly those that print
// no content as it is: in a pipe, too, a model reads what they print.
var (
	forModels = []string{"read", "bundle"}
	linesOnly = []string{"read", "bundle", "ls", "notes", "search"}
)

// shown returns a writer that passes on of a server's text what a terminal does not obey; on a
// terminal colours, too.
func (f *forwarding) shown(to io.Writer, columns int, isErr bool) io.Writer {
	name := f.cmd.Name()
	colours := columns > 0 && !slices.Contains(forModels, name)
	if columns > 0 || isErr || slices.Contains(linesOnly, name) {
		return shown{to, colours}
	}
	return to
}

type shown struct {
	to      io.Writer
	colours bool
}

func (s shown) Write(text []byte) (int, error) {
	rest := bytes.ToValidUTF8(text, []byte("\ufffd"))
	if !s.colours {
		_, err := s.to.Write(bytes.Map(visible, rest))
		return len(text), err
	}
	out := make([]byte, 0, len(rest))
	for {
		plain, after, isMore := bytes.Cut(rest, []byte("\x1b"))
		out = append(out, bytes.Map(visible, plain)...)
		if !isMore {
			break
		}
		seen := colour().Find(after)
		if len(seen) > 0 {
			out = append(append(out, '\x1b'), seen...)
		}
		rest = after[len(seen):]
	}
	_, err := s.to.Write(out)
	return len(text), err
}

// visible returns a character that a terminal shows, and -1 for another one.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < ' ', 0x7f <= r && r <= 0x9f, r == 0x61c, r == 0x200e, r == 0x200f,
		0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
		return -1
	}
	return r
}

// colour matches a sequence of a terminal that a server may print, after its escape.
var colour = sync.OnceValue(func() *regexp.Regexp {
	const one = `(?:[0-7]|[349]\d)`
	return regexp.MustCompile(`^\[` + one + `?(?:;` + one + `)*m`)
})

// once reports whether something is wanted for the first time, by a verb that may want it.
func (f *forwarding) once(what string, may bool) error {
	if f.given[what] || !may {
		return app.BadInput(f.at.URL(), "it asks for what this command does not need: "+
			app.OneLine(what), "")
	}
	f.given[what] = true
	return nil
}

// give adds to the request what the verb wants. isAnswer is whether what it printed is all that
// there is to say, for nobody can give that here.
func (f *forwarding) give(want wire.Want, printed []wire.Piece) (isAnswer bool, err error) {
	switch {
	case want.File != "":
		return false, f.giveFile(want.File)
	case want.Question != "":
		if err := f.once("an answer", true); err != nil {
			return false, err
		}
		if err := f.print(printed); err != nil {
			return false, err
		}
		err := f.a.Confirm(f.cmd, policy.Plain(f.cmd.Name()), app.OneLine(want.Question))
		f.request.Yes, f.request.About = err == nil, want.About
		return false, err
	case want.Draft != nil:
		if err := f.once("an edited text", f.cmd.Name() == policy.Edit.String()); err != nil {
			return false, err
		}
		return false, f.giveDraft(*want.Draft)
	case want.Person:
		if !policy.IsPerson(f.a.Caller) || !app.IsTerminal(f.cmd) {
			return true, nil
		}
		if slices.Contains(reading, f.cmd.Name()) {
			return false, f.once("a person's token", false)
		}
		if f.given["a person's token"] {
			return false, app.BadInput("token", "it is no person's",
				"mem token add "+f.at.Tenant+" --person --root DIR makes one, at the server")
		}
		f.given["a person's token"] = true
		return false, f.givePerson()
	}
	return true, nil
}

// forgetting are the verbs after which no copy of a deleted memory may stay here.
var forgetting = []string{"forget", "rm", "reject", "undo"}

// reading are verbs, and actions of verbs, that need no person.
var reading = []string{"get", "ls", "search", "read", "notes", "history", "diff", "stat", "bundle",
	"audit", "fsck", "injections", "prompt", "list", "show", "stats"}

// giveFile adds standard input, or a file that the command line names; or why it cannot be read.
func (f *forwarding) giveFile(name string) error {
	if err := f.once("the file "+name, app.IsGiven(f.cmd, name)); err != nil {
		return err
	}
	in := f.cmd.InOrStdin()
	if name != wire.Stdin {
		file, err := os.Open(name)
		if err != nil {
			f.request.Fail(name, err)
			return nil
		}
		defer file.Close()
		in = file
	}
	switch err := f.request.Add(name, in); {
	case errors.Is(err, wire.ErrTooLong):
		return app.BadInput(name, err.Error(), "")
	case err != nil:
		f.request.Fail(name, err)
	}
	return nil
}

// giveDraft adds the text that a person makes of one in an editor here.
func (f *forwarding) giveDraft(d wire.Draft) error {
	file, err := draft.New(d.Text)
	if err != nil {
		return err
	}
	if d.Text, err = file.Edit(f.a, f.cmd); err != nil {
		file.Remove()
		return err
	}
	f.draft, f.request.Draft = file, &d
	return nil
}

// keepDraft says where the text is that the server did not store.
func (f *forwarding) keepDraft(exit int) {
	if f.draft == nil {
		return
	}
	if exit != 0 && f.draft.IsTouched() {
		f.a.Advise(f.cmd, "hint", advice.Say("your text is kept in "+f.draft.Path))
		return
	}
	f.draft.Remove()
}

// givePerson asks for the token of a person, and uses it for this command alone.
func (f *forwarding) givePerson() error {
	token, err := readToken(f.cmd, "only a person may do this; your own token of "+f.at.Origin+
		" (mem token add --person), which is not stored: ")
	if err != nil {
		return err
	}
	f.client = f.client.As(token)
	return nil
}
