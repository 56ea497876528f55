package cli

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// inSession reports whether two arguments name a session and a record in it.
func inSession(args []string) bool {
	return len(args) == 2 && !strings.Contains(args[0], "/") && session.IsID(args[1])
}

// recordArg returns the key that the arguments of a verb name: one key, or a session and the id of
// a record in it.
func recordArg(cmd *cobra.Command, args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	if !inSession(args) {
		return "", &usage{what: cmd.Name() + " " + args[0] + " " + args[1],
			why: "want one key, or a session and the id of a record in it",
			do: advice.Run("search", "--session", "ID").
				Then(" lists the records of a session")}
	}
	if _, err := session.KeyOf(args[0]); err != nil {
		return "", err
	}
	return keypath.Sessions + "/" + args[0] + "/" + args[1], nil
}

// sessionStore returns the store that has a session, and its layer where there are two. Where none
// has it, it is where one would be.
func sessionStore(cmd *cobra.Command, l *mem.Layers, id string) (
	s *mem.Store, name string, err error) {
	key, err := session.KeyOf(id)
	if err != nil {
		return nil, "", err
	}
	site, err := holding(cmd, l, key)
	if err != nil {
		return nil, "", err
	}
	s, err = l.Open(site)
	return s, layerName(l, site), err
}

// onSession runs fn on the store that has a session.
func onSession(a *app, cmd *cobra.Command, id string,
	fn func(s *mem.Store, layer string) error) error {
	l, err := a.open(cmd)
	if err != nil {
		return err
	}
	s, layer, err := sessionStore(cmd, l, id)
	if err != nil {
		return err
	}
	return fn(s, layer)
}
