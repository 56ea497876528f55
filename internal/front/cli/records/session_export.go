package records

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/spf13/cobra"
)

type sessionExportOptions struct{ prefix, format string }

func newSessionExportCmd(a *app.App) *cobra.Command {
	o := &sessionExportOptions{}
	cmd := &cobra.Command{
		Use:   "export [<id>]",
		Short: "write sessions with their records",
		Long: `Export one session, or all, for another program: the settings, the size, and
each record with its decay and a checksum. Expired and deleted records are
omitted. mem export and mem import copy sessions to another store of mem.

Formats:
  json   one object: {"metadata","entries"}, or {"sessions":[...]} without an
         id (the default)
  jsonl  {"metadata"} on a line, then a line for each entry`,
		Example: `  mem session export sess_20260222_ada > ada.json
  mem session export --prefix sess_202602 --format jsonl > february.jsonl`,
		Args: app.WantArgs(0, 1, "at most the id of one session"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.prefix, "prefix", "", "only sessions whose `ID` or key begins like this")
	f.StringVar(&o.format, "format", "json", "the `FORMAT`: json or jsonl")
	return cmd
}

func (o *sessionExportOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	opts, err := o.options(cmd, args)
	if err != nil {
		return err
	}
	out, err := a.ExportOutput(cmd, "", false, "")
	if err != nil {
		return err
	}
	s, err := sessionsAt(a, cmd, opts.ID)
	if err != nil {
		return err
	}
	a.NoteMissing(cmd, s)
	rep, err := session.Export(cmd.Context(), s, a.Caller, out, opts)
	if err == nil {
		a.SayEmpty(cmd, s, rep.Sessions, "no sessions")
	}
	return err
}

// options returns the export that the flags ask for.
func (o *sessionExportOptions) options(cmd *cobra.Command, args []string) (
	opts session.ExportOptions, err error) {
	opts = session.ExportOptions{Prefix: o.prefix, Format: session.Format(o.format)}
	switch opts.Format {
	case session.JSON, session.JSONL:
	default:
		return opts, app.BadInput("--format "+o.format, "want "+session.Formats, "")
	}
	if len(args) == 0 {
		return opts, nil
	}
	if o.prefix != "" {
		return opts, app.BadInput("--prefix", "it cannot be used with an id", "")
	}
	opts.ID = args[0]
	_, err = session.KeyOf(opts.ID) // an empty one is not all
	return opts, err
}

// sessionsAt returns the store that has a session; without an id the one that new sessions go to.
func sessionsAt(a *app.App, cmd *cobra.Command, id string) (*mem.Store, error) {
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	if id != "" {
		s, _, err := a.SessionStore(cmd, l, id)
		return s, err
	}
	key, err := session.KeyOf("any")
	if err != nil {
		return nil, err
	}
	s, site, err := app.OpenFor(l, key)
	if err == nil && l.Layered() && !a.Quiet && !a.AsJSON() {
		a.Tell(cmd, "hint", "this is the "+l.NameOf(site)+" layer; --layer names another")
	}
	return s, err
}
