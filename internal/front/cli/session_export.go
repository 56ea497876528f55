package cli

import (
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/spf13/cobra"
)

type sessionExportOptions struct{ prefix, format, out string }

func newSessionExportCmd(a *app) *cobra.Command {
	o := &sessionExportOptions{}
	cmd := &cobra.Command{
		Use:   "export [<id>]",
		Short: "write sessions with all that is in them",
		Long: `Write a session, or all of them, to standard output or to --out: what it settles, how
much it holds, and each record with how much of its importance is left and a checksum. What is
expired or deleted never appears.

Formats:
  json      one object: {"metadata","entries"}, or {"sessions":[...]} without an id (the default)
  jsonl     {"metadata"} on a line, then a line for each entry
  markdown  for people; the other two are what mem session import takes back

A file that is there is replaced only where mem wrote it and nobody has changed it since.`,
		Example: `  mem session export sess_20260222_ada > ada.json
  mem session export --prefix sess_202602 --format jsonl --out february.jsonl
  mem session export sess_20260222_ada --format markdown`,
		Args: wantArgs(0, 1, "at most the id of one session"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.prefix, "prefix", "", "only sessions whose `ID` or key begins like this")
	f.StringVar(&o.format, "format", "json", "write this `FORMAT`: json, jsonl or markdown")
	f.StringVar(&o.out, "out", "", "write to this `FILE`")
	return cmd
}

func (o *sessionExportOptions) run(a *app, cmd *cobra.Command, args []string) error {
	opts, err := o.options(cmd, args)
	if err != nil {
		return err
	}
	out, err := exportOutput(a, cmd, o.out, opts.Format == session.Markdown,
		"--format json is")
	if err != nil {
		return err
	}
	s, err := sessionsAt(a, cmd, opts.ID)
	if err != nil {
		return err
	}
	noteMissing(a, cmd, s)
	rep, err := session.Export(cmd.Context(), s, caller, out, opts)
	if err == nil {
		sayEmpty(a, cmd, s, rep.Sessions, "no sessions")
	}
	if err != nil || o.out == "" {
		return err
	}
	return a.answer(cmd, rep, fmt.Sprintf("%s, %s exported to %s", count(rep.Sessions, "session"),
		count(rep.Entries, "record"), o.out))
}

// options returns the options of the export.
func (o *sessionExportOptions) options(cmd *cobra.Command, args []string) (
	opts session.ExportOptions, err error) {
	opts = session.ExportOptions{Prefix: o.prefix, Format: session.Format(o.format), Out: o.out}
	switch opts.Format {
	case session.JSON, session.JSONL, session.Markdown:
	default:
		return opts, &usage{what: "--format " + o.format, why: "want " + session.Formats}
	}
	if len(args) == 0 {
		return opts, nil
	}
	if o.prefix != "" {
		return opts, &usage{what: "--prefix", why: "it goes without an id"}
	}
	opts.ID = args[0]
	_, err = session.KeyOf(opts.ID) // an empty one is not all
	return opts, err
}

// sessionsAt returns the store that has a session; without an id the one that new sessions go to.
func sessionsAt(a *app, cmd *cobra.Command, id string) (*mem.Store, error) {
	l, err := a.open(cmd)
	if err != nil {
		return nil, err
	}
	if id != "" {
		s, _, err := sessionStore(cmd, l, id)
		return s, err
	}
	key, err := session.KeyOf("any")
	if err != nil {
		return nil, err
	}
	s, site, err := openFor(l, key)
	if err == nil && l.Layered() && !a.quiet && !a.asJSON() {
		a.tell(cmd, "hint", "this is the "+layerName(l, site)+" layer; --layer names another")
	}
	return s, err
}

type sessionImportOptions struct {
	dryRun      bool
	keepGoing   bool
	allowSecret []string
}

func newSessionImportCmd(a *app) *cobra.Command {
	o := &sessionImportOptions{}
	cmd := &cobra.Command{
		Use:   "import <file>",
		Short: "take in sessions that were exported",
		Long: `Take in what mem session export wrote as json or jsonl, from a file or standard input
("-"), under the ids it had. A session that is not here is made as it was; one that is here keeps
what it settles. What is here or was deleted here counts, so a second import stores nothing.

Every entry is checked before anything is written. One whose checksum is wrong is left out and
named, and the exit code is 1; one without a checksum, written by hand, is taken. A session that is
closed takes nothing new (exit code 3), and one that is full makes room as for mem remember.`,
		Example: `  mem session import ada.json
  mem --root other session export --format jsonl | mem session import - --dry-run`,
		Args: wantArgs(1, 1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "only say what it would do")
	f.BoolVar(&o.keepGoing, "keep-going", false, "store the good entries although others are bad")
	f.StringArrayVar(&o.allowSecret, "allow-secret", nil, allowSecretUsage)
	return cmd
}

func (o *sessionImportOptions) run(a *app, cmd *cobra.Command, path string) error {
	in := session.Incoming{Path: path}
	if path == "-" {
		stream, err := batchInput(cmd.InOrStdin())
		if err != nil {
			return err
		}
		in.Stream = stream
	}
	s, err := sessionsAt(a, cmd, "")
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(cmd)
	defer stop()
	rep, err := session.Import(ctx, s, caller, in, session.ImportOptions{
		DryRun: o.dryRun, KeepGoing: o.keepGoing, AllowSecrets: o.allowSecret,
	})
	if errors.Is(err, session.ErrMemories) {
		err = &hinted{err, advice.Run("import", path).Then(" takes it in")}
	}
	if mem.KindOf(err) != mem.KindRefused {
		err = partlyStored(err, "the same command stores the rest")
	}
	if err != nil && !o.keepGoing && !errors.Is(err, session.ErrChecksum) {
		return err
	}
	if perr := o.print(a, cmd, rep); perr != nil {
		return perr
	}
	return err
}

func (o *sessionImportOptions) print(a *app, cmd *cobra.Command, rep session.ImportReport) error {
	return printImport(a, cmd, rep, rep.DryRun, []tally{
		{rep.New, "new", true},
		{rep.Unchanged, "unchanged", true},
		{rep.Deleted, "deleted earlier", true},
		{rep.Damaged, "damaged", true},
		{rep.Refused, "refused", true},
		{rep.Stale, "older than what is stored", false},
	})
}
