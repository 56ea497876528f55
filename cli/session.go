package cli

import (
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/session"
	"github.com/spf13/cobra"
)

func newSessionCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session <action>",
		Short: "make, look at, close and delete sessions",
		Long: `A session keeps what was said, decided, found and preferred in one conversation: records
at /session/<id>/mem_..., stored by mem remember, found by mem search --session. What is old
and of little importance loses relevance, and makes room where a session is nearly full.`,
		Example: `  mem session create --user ada
  mem session show sess_20260222_ada
  mem session export sess_20260222_ada --format markdown`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return &usage{what: "session " + args[0], why: "no such action",
				hint: "mem session --help lists them"}
		},
	}
	cmd.AddCommand(newSessionCreateCmd(a), newSessionListCmd(a), newSessionShowCmd(a),
		newSessionCloseCmd(a), newSessionDeleteCmd(a), newSessionStatsCmd(a),
		newSessionCompactCmd(a), newSessionRebuildCmd(a), newSessionExportCmd(a),
		newSessionImportCmd(a))
	return cmd
}

// sessionStore returns the store that has a session, and its layer where there are two. Where none
// has it, it is where one would be.
func sessionStore(cmd *cobra.Command, l *mem.Layers, id string) (
	s *mem.Store, name string, err error) {
	key, err := session.KeyOf(id)
	if err != nil {
		return nil, "", err
	}
	site, _, err := l.Holding(cmd.Context(), caller, key)
	if err != nil {
		return nil, "", layerError(err, key)
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

// sessionReply answers what was done to a session.
type sessionReply struct {
	OK      bool   `json:"ok"`
	ID      string `json:"session_id"`
	Entries *int   `json:"entries,omitempty"`
	Layer   string `json:"layer,omitempty"`
}

// printText prints a line that was asked for.
func printText(_ *app, cmd *cobra.Command, line string) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), oneLine(line))
	return err
}

type sessionCreateOptions struct{ id, user, config string }

func newSessionCreateCmd(a *app) *cobra.Command {
	o := &sessionCreateOptions{}
	cmd := &cobra.Command{
		Use:   "create",
		Short: "make a session and print its id",
		Long: `Make a session and print its id: sess_<day>_<user>, with _2 and on where that is taken. No
id is ever given again. --config is an object with decay_config, compaction_config or preferences,
of which each member that it has counts for this session in place of config.json.`,
		Example: `  mem session create
  mem session create --id review_7 --config '{"decay_config":{"half_life_hours":336}}'`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.id, "id", "", "the `ID`: letters of ASCII, digits and _, at most 64")
	f.StringVar(&o.user, "user", "", "whose it is: a `NAME` (default: the login)")
	f.StringVar(&o.config, "config", "", "its own settings: a JSON `OBJECT`, - or @file")
	return cmd
}

func (o *sessionCreateOptions) run(a *app, cmd *cobra.Command) error {
	if err := refuseEmpty(cmd, "id", "user", "config"); err != nil {
		return err
	}
	var config []byte
	var err error
	if o.config != "" {
		if config, err = jsonArg(cmd, "--config", o.config, policy.MaxContent); err != nil {
			return err
		}
	}
	user := o.user
	if user == "" {
		user = login(a.getenv)
	}
	l, err := a.open(cmd)
	if err != nil {
		return err
	}
	key, err := session.KeyOf("any") // every session goes to the layer that one goes to
	if o.id != "" {
		key, err = session.KeyOf(o.id)
	}
	if err != nil {
		return err
	}
	s, site, err := openFor(l, key)
	if err != nil {
		return err
	}
	id, err := session.Create(cmd.Context(), s, caller,
		session.CreateOptions{ID: o.id, User: user, Config: config})
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.printValue(cmd, sessionReply{OK: true, ID: id, Layer: layerName(l, site)})
	}
	sayLayer(a, cmd, l, "made in", layerName(l, site))
	return printText(a, cmd, id)
}

// login returns the name of who runs this; "user" where nobody says.
func login(getenv func(string) string) string {
	for _, name := range []string{"LOGNAME", "USER", "USERNAME"} {
		if user := getenv(name); user != "" {
			return user
		}
	}
	return "user"
}

type sessionCloseOptions struct{ reopen bool }

func newSessionCloseCmd(a *app) *cobra.Command {
	o := &sessionCloseOptions{}
	cmd := &cobra.Command{
		Use:   "close <id>",
		Short: "let a session take no more records",
		Long: `Close a session: mem remember and an import into it then fail (exit code 3). What is in it
can be read, forgotten, compacted and deleted as ever. --reopen takes it back.`,
		Example: `  mem session close sess_20260222_ada
  mem session close sess_20260222_ada --reopen`,
		Args:              wantArgs(1, 1, "the id of a session"),
		ValidArgsFunction: completeFirst(completeSessions(a)),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	cmd.Flags().BoolVar(&o.reopen, "reopen", false, "open it again")
	return cmd
}

func (o *sessionCloseOptions) run(a *app, cmd *cobra.Command, id string) error {
	return onSession(a, cmd, id, func(s *mem.Store, layer string) error {
		do, done := session.Close, "closed"
		if o.reopen {
			do, done = session.Reopen, "open"
		}
		if _, err := do(cmd.Context(), s, caller, id); err != nil {
			return err
		}
		return answerSession(a, cmd, id, layer, done)
	})
}

// answerSession answers what was done to a session.
func answerSession(a *app, cmd *cobra.Command, id, layer, done string) error {
	switch {
	case a.asJSON():
		return a.printValue(cmd, sessionReply{OK: true, ID: id, Layer: layer})
	case a.quiet:
		return nil
	}
	return printText(a, cmd, id+" "+done)
}
