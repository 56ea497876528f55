package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/daily"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

// runnerOf returns the function that runs a verb for a caller over HTTP, as on a command line here.
func runnerOf(a *app.App, root *serve.Root, keys ledger.Keys) remote.Runner {
	return func(ctx context.Context, caller mem.Caller, m *serve.Memory, in *wire.Request) (
		wire.Reply, error) {
		s := &app.Served{Request: in, Store: m.Store, Keys: keys, Clock: app.SystemClock()}
		reply, err := cli.Serve(ctx, a.Build, caller, s)
		for i, piece := range reply.Printed {
			if piece.IsErr { // an error may name a file of the server
				text := bytes.ReplaceAll(piece.Text, []byte(m.Store.Path()), []byte(in.Root))
				reply.Printed[i].Text = bytes.ReplaceAll(text, []byte(root.Path()), []byte("ROOT"))
			}
		}
		return reply, err
	}
}

// loginsOf returns the servers that this user has logged in to.
func loginsOf(a *app.App) *remote.Logins {
	home, _ := os.UserHomeDir() // without one only MEM_TOKEN_FILE has tokens
	return remote.LoginsIn(site.OpenBook(a.Getenv, home).Dir(), a.Getenv)
}

// addressOf returns the address that a root is.
func addressOf(root string) (wire.Address, error) {
	at, err := wire.Parse(root)
	if err != nil {
		return at, app.BadInput("root", err.Error(), "")
	}
	return at, nil
}

// forwarding is a verb that runs on a memory behind a server.
type forwarding struct {
	a       *app.App
	cmd     *cobra.Command
	at      wire.Address
	client  *remote.Client
	request *wire.Request
	saved   *daily.Saved // the text that was edited here; nil: none was
}

// forward runs a verb on a memory behind a server, prints what it prints there, and ends with its
// exit code.
func forward(a *app.App, cmd *cobra.Command, root string) error {
	at, err := addressOf(root)
	if err != nil {
		return err
	}
	login, err := loginsOf(a).Of(at.Origin)
	if err != nil {
		return err
	}
	client, err := remote.NewClient(at, login, a.Caller.Agent, app.SystemClock())
	if err != nil {
		return err
	}
	f := &forwarding{a: a, cmd: cmd, at: at, client: client, request: &wire.Request{
		Args: wire.Bytes(a.Args), Root: at.URL(), Env: sentEnv(a),
		Out: app.Terminal(cmd.OutOrStdout()), Err: app.Terminal(cmd.ErrOrStderr()),
		Attended: app.IsTerminal(cmd)}}
	return f.run()
}

// sentEnv returns the variables that the server gets.
func sentEnv(a *app.App) map[string]string {
	env := map[string]string{}
	for _, name := range app.Variables() {
		if value := a.Getenv(name); value != "" {
			env[name] = value
		}
	}
	return env
}

// mostWants is how often a verb may want something: each file, an answer, a token.
const mostWants = 32

func (f *forwarding) run() error {
	for range mostWants {
		reply, err := f.client.Run(f.cmd.Context(), f.request)
		if err != nil {
			return err
		}
		isAnswer := reply.Want == nil
		if !isAnswer {
			isAnswer, err = f.give(*reply.Want, reply.Printed)
		}
		if err != nil {
			return err
		}
		if isAnswer {
			f.print(reply.Printed)
			f.keepDraft(reply.Exit)
			return app.Ended(reply.Exit)
		}
	}
	return app.BadInput(f.at.URL(), "it wants ever more of this machine", "")
}

func (f *forwarding) print(printed []wire.Piece) {
	for _, piece := range printed {
		to := f.cmd.OutOrStdout()
		if piece.IsErr {
			to = f.cmd.ErrOrStderr()
		}
		_, _ = to.Write(piece.Text) // standard output remembers that it failed
	}
}

// give adds to the request what the verb wants. isAnswer is whether what it printed is all that
// there is to say, for nobody can give that here.
func (f *forwarding) give(want wire.Want, printed []wire.Piece) (isAnswer bool, err error) {
	switch {
	case want.File != "":
		return false, f.giveFile(want.File)
	case want.Question != "":
		f.print(printed)
		err := f.a.Confirm(f.cmd, policy.Plain(f.cmd.Name()), want.Question)
		f.request.Yes = err == nil
		return false, err
	case want.Draft != nil:
		return false, f.giveDraft(*want.Draft)
	case want.Person:
		if !policy.IsPerson(f.a.Caller) || !app.IsTerminal(f.cmd) {
			return true, nil
		}
		return false, f.givePerson()
	}
	return true, nil
}

// giveFile adds standard input, or a file that the command line names; or why it cannot be read.
func (f *forwarding) giveFile(name string) error {
	_, sent := f.request.Files[name]
	if sent || !f.request.Names(name) {
		return app.BadInput(f.at.URL(), fmt.Sprintf("it asks for the file %.80q, which the "+
			"command does not name", name), "")
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
	saved, err := daily.EditText(f.a, f.cmd, d.Text)
	if err != nil {
		return err
	}
	d.Text, f.saved, f.request.Draft = saved.Text, &saved, &d
	return nil
}

// keepDraft says where the text is that the server did not store.
func (f *forwarding) keepDraft(exit int) {
	if f.saved == nil {
		return
	}
	if file := f.saved.File(); file != "" && exit != 0 {
		f.a.Advise(f.cmd, "hint", advice.Say("your text is kept in "+file))
		return
	}
	f.saved.Remove()
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
