package app

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// InSession reports whether two arguments name a session and a record in it.
func InSession(args []string) bool {
	return len(args) == 2 && !strings.Contains(args[0], "/") && session.IsID(args[1])
}

// RecordArg returns the key that arguments name: one key, or a session and a record's id.
func RecordArg(cmd *cobra.Command, args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	if !InSession(args) {
		return "", fault.Input(cmd.Name()+" "+args[0]+" "+args[1],
			"want one key, or a session and the id of a record in it",
			advice.Run("search", "--session", "ID").Then(" lists the records of a session"))
	}
	if _, err := session.KeyOf(args[0]); err != nil {
		return "", err
	}
	return keypath.Sessions + "/" + args[0] + "/" + args[1], nil
}

// SessionStore returns the store that has a session, and its layer where there are two. Where none
// has it, it is where one would be.
func (a *App) SessionStore(cmd *cobra.Command, l *layers.Layers, id string) (
	s *mem.Store, name string, err error) {
	key, err := session.KeyOf(id)
	if err != nil {
		return nil, "", err
	}
	site, err := a.Holding(cmd, l, key)
	if err != nil {
		return nil, "", err
	}
	s, err = l.Open(site)
	return s, l.NameOf(site), err
}

// OnSession runs fn on the store that has a session.
func (a *App) OnSession(cmd *cobra.Command, id string,
	fn func(s *mem.Store, layer string) error) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	s, layer, err := a.SessionStore(cmd, l, id)
	if err != nil {
		return err
	}
	return fn(s, layer)
}
