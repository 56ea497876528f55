package cli

import (
	"errors"
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

// sessionError returns the error of a record that is not there: the session does not exist, or else
// the given error.
func sessionError(a *app, cmd *cobra.Command, args []string, err error) error {
	if !inSession(args) || !errors.Is(err, mem.ErrNotFound) {
		return err
	}
	all, oerr := a.layers.Reading()
	if oerr != nil {
		return err
	}
	if _, none := session.Load(cmd.Context(), all, caller, args[0]); none != nil {
		return none
	}
	return err
}
