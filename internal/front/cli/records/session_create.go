package records

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/spf13/cobra"
)

type sessionCreateOptions struct{ id, user, config string }

func newSessionCreateCmd(a *app.App) *cobra.Command {
	o := &sessionCreateOptions{}
	cmd := &cobra.Command{
		Use:   "create",
		Short: "make a session and print its id",
		Long: `Create a session and print its id: sess_<day>_<user>, with _2 and so on if that
id is taken. An id is never reused. --config is an object with decay_config,
compaction_config or preferences, whose members override config.json for this
session.`,
		Example: `  mem session create
  mem session create --id review_7 --config @settings.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return app.WantArgs(0, 0, "no arguments")(cmd, args)
			}
			return fault.Input(app.Named(cmd), "want no arguments, got 1 argument",
				advice.Run("session create", "--id", args[0]).Then(" creates one with that id"))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.id, "id", "", "the `ID`: at most 64 ASCII letters, digits and _")
	f.StringVar(&o.user, "user", "", "the `NAME` of its user (default: the login)")
	f.StringVar(&o.config, "config", "", "its own settings: a JSON `OBJECT`, - or @file")
	app.GivenFlags(cmd, app.AtFile, "config")
	return cmd
}

func (o *sessionCreateOptions) run(a *app.App, cmd *cobra.Command) error {
	var config []byte
	var err error
	if o.config != "" {
		if config, err = a.JSONArg(cmd, "--config", o.config, policy.MaxContent); err != nil {
			return err
		}
	}
	user := o.user
	if user == "" {
		user = login(a.Getenv)
	}
	l, err := a.Open(cmd)
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
	s, site, err := app.OpenFor(l, key)
	if err != nil {
		return err
	}
	others, err := othersThan(a, l, site)
	if err != nil {
		return err
	}
	id, err := session.Create(cmd.Context(), s, a.Caller,
		session.CreateOptions{ID: o.id, User: user, Config: config, Beside: others})
	if err != nil {
		return err
	}
	layer := l.NameOf(site)
	a.SayLayer(cmd, l, "made in", layer)
	return a.Answer(cmd, sessionReply{OK: true, ID: id, Layer: layer}, app.Line(id))
}

// othersThan returns the stores of all layers but that of a site.
func othersThan(a *app.App, l *layers.Layers, of *site.Site) (others []*mem.Store, err error) {
	sites, err := site.Find(a.Root, "", a.Getenv)
	if err != nil {
		return nil, err
	}
	for _, site := range sites.List() {
		if site.Root == of.Root {
			continue
		}
		s, err := l.Open(site)
		if err != nil {
			return nil, err
		}
		others = append(others, s)
	}
	return others, nil
}

// login returns the login name; "user" where the environment has none.
func login(getenv func(string) string) string {
	for _, name := range []string{"LOGNAME", "USER", "USERNAME"} {
		if user := getenv(name); user != "" {
			return user
		}
	}
	return "user"
}

type sessionCloseOptions struct{ reopen bool }

func newSessionCloseCmd(a *app.App) *cobra.Command {
	o := &sessionCloseOptions{}
	cmd := &cobra.Command{
		Use:   "close <id>",
		Short: "close a session to new records",
		Long: `Close a session: mem remember and imports into it then fail (exit code 3). Its
records can still be read, forgotten, compacted and deleted. --reopen opens it
again.`,
		Example: `  mem session close sess_20260222_ada
  mem session close sess_20260222_ada --reopen`,
		Args: app.WantArgs(1, 1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	cmd.Flags().BoolVar(&o.reopen, "reopen", false, "open it again")
	return cmd
}

func (o *sessionCloseOptions) run(a *app.App, cmd *cobra.Command, id string) error {
	return a.OnSession(cmd, id, func(s *mem.Store, layer string) error {
		do, done := session.Close, "closed"
		if o.reopen {
			do, done = session.Reopen, "open"
		}
		if _, err := do(cmd.Context(), s, a.Caller, id); err != nil {
			return err
		}
		return a.Answer(cmd, sessionReply{OK: true, ID: id, Layer: layer}, app.Report(id+" "+done))
	})
}
