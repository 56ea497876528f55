package server

import (
	"context"
	"errors"
	"os"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/site"
)

// loginsOf returns the servers that this user has logged in to.
func loginsOf(a *app.App) *remote.Logins {
	home, _ := os.UserHomeDir() // without one only MEM_TOKEN_FILE has tokens
	return remote.LoginsIn(site.OpenBook(a.Getenv, home).Dir(), a.Getenv)
}

func addressOf(root string) (site.Address, error) {
	at, err := site.ParseAddress(root)
	if err != nil {
		return at, app.BadInput("root", err.Error(), "")
	}
	return at, nil
}

// clientOf returns a client of the memory at a URL, with the login that it uses.
func clientOf(a *app.App, root string) (client *remote.Client, at site.Address,
	login remote.Login, err error) {
	if at, err = addressOf(root); err != nil {
		return nil, at, login, err
	}
	if login, err = loginsOf(a).Of(at); err != nil {
		return nil, at, login, err
	}
	client, err = remote.NewClient(at, login, a.Caller.Agent, app.SystemClock())
	return client, at, login, err
}

// ServerOf returns the identity of the server of a memory ([site.ServerID]); "" where this user has
// no token for it.
func ServerOf(a *app.App, url string) (string, error) {
	at, err := addressOf(url)
	if err != nil {
		return "", err
	}
	login, err := loginsOf(a).Of(at)
	if err != nil || login.Token == "" {
		return "", err
	}
	return serverID(at.URL(), login), nil
}

func serverID(url string, login remote.Login) string {
	return site.ServerID(url, login.Token, login.CA)
}

// Ask runs a command line on a memory behind a server, and returns what it prints.
func Ask(ctx context.Context, a *app.App, at app.ServedAt, args ...string) ([]byte, error) {
	client, _, _, err := clientOf(a, at.URL)
	if err != nil {
		return nil, err
	}
	return askOf(ctx, a, client, at, nil, args...)
}

// askOf runs a command line with an input.
func askOf(ctx context.Context, a *app.App, client *remote.Client, at app.ServedAt, input []byte,
	args ...string) ([]byte, error) {
	reply, err := client.Brief().Run(ctx, &wire.Request{Args: wire.Bytes(args), Root: at.URL,
		Project: at.Project, Env: sentEnv(a), Files: map[string][]byte{wire.Stdin: input}})
	if err != nil {
		return nil, dropRefused(a, at.URL, err)
	}
	var printed [2][]byte
	for _, piece := range reply.Printed {
		out := &printed[0]
		if piece.IsErr {
			out = &printed[1]
		}
		*out = append(*out, piece.Text...)
	}
	switch {
	case reply.Want != nil:
		return nil, app.BadInput(at.URL, "it asks for what this command does not need",
			app.OneVersion)
	case reply.Exit != 0:
		return nil, app.BadInput(at.URL, app.OneLine(string(printed[1])), "")
	}
	return printed[0], nil
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

// dropRefused removes the copies of what a server gave that refuses the token now.
func dropRefused(a *app.App, url string, err error) error {
	var failed *remote.Error
	if errors.As(err, &failed) && failed.IsRefusal() {
		_ = a.Starts().Drop(url, "") // else they expire
	}
	return err
}
