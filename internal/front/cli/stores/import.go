package stores

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type importOptions struct {
	format      string
	prefix      string
	dryRun      bool
	keepGoing   bool
	untrusted   app.UntrustedFlag
	allowSecret []string
	force, mine bool
	transcripts transcriptOptions
}

const importArgs = "a file, a folder, or - for standard input"

func NewImportCmd(a *app.App) *cobra.Command {
	o := &importOptions{}
	cmd := &cobra.Command{
		Use:         "import [<file>]",
		Short:       "import the memories of another program or store",
		Annotations: app.GivenArgs(app.FileName),
		Long: `Import a file, a folder, or standard input ("-"), and print how many memories
are new, changed and unchanged. Existing memories stay, so a second import
reports 0 new.

A memory of the file of which this store has had a version is the same one: the
later change counts, also a deletion. Of all others, a note whose number is
taken gets the next one, and any other key that is taken a free name (KEY~2);
the references of the file follow, and both are listed. Imported memories are
facts: they cannot make, replace or delete a rule of the user. With --mine, a
decision of a person, a backup restores its rules: the verb lists some, and asks
at a terminal.

Formats, detected from the content unless --format names one:
  jsonl          lines {"key","content","source"}, or the envelopes of a store,
                 which keep their time
  mcp            memory.jsonl of the MCP reference server, to
                 /graph/entity/NAME and /graph/relation/FROM/TYPE/TO
  claude-memory  a memory folder of Claude Code, or one file of it, to
                 /claude/FILE
  engram         the file of engram export, to /engram/SCOPE/ID
a CLAUDE.md, AGENTS.md or GEMINI.md, each bullet and paragraph to
/guidance/FILE/HEADING/SUM: file, heading and text make it the same memory again,
and the tar file of mem export --all-layers, each layer to its own.

Every record, and an archive to its end, is checked as in mem set before
anything is written; then they are written in groups of up to 10,000. After an interruption the verb prints how
many are stored, and the same command stores the rest. A record without a
source gets the file as its source. Journals and cores need --mine or --force.

--transcripts reads Claude Code's record of conversations, all or one file, and
stores nothing: facts of prompts and commands wait for mem approve.`,
		Example: `  mem import memory.jsonl
  mem import ~/.claude/projects/-home-you-src/memory --prefix /src
  mem import backup.jsonl --mine
  mem import CLAUDE.md --dry-run
  mem import --transcripts --since 30d --dry-run
  mem --root other export | mem import - --dry-run`,
		Args: app.WantArgs(0, 1, importArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return o.runAny(a, cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "the `FORMAT`: "+foreign.ReadFormats)
	f.StringVar(&o.prefix, "prefix", "/", "put all keys below this `KEY`")
	f.BoolVar(&o.dryRun, "dry-run", false, "only print the numbers and new names")
	f.BoolVar(&o.keepGoing, "keep-going", false, "write the valid records even if others are not")
	o.untrusted.Register(cmd)
	f.StringArrayVar(&o.allowSecret, "allow-secret", nil, app.AllowSecretUsage)
	f.BoolVar(&o.mine, "mine", false, "the file is your own: import its rules as yours")
	app.RegisterForce(cmd, &o.force)
	o.transcripts.register(f)
	app.OfMachine(cmd, "transcripts", "since", "project")
	return cmd
}

func (o *importOptions) run(a *app.App, cmd *cobra.Command, path string) error {
	opts := transfer.ImportOptions{DryRun: o.dryRun, KeepGoing: o.keepGoing, Force: o.force,
		Quarantine: o.untrusted.Quarantines(), AllowSecrets: o.allowSecret, Mine: o.mine}
	if !o.dryRun && !a.Yes {
		opts.Confirm = func(rules []log.Record) error {
			return a.ConfirmRecords(cmd, policy.Restore,
				"import "+app.Count(len(rules), "rule")+" as yours?", rules)
		}
	}
	var err error
	if opts.Format, err = formatArg(o.format, foreign.ReadFormats); err != nil {
		return err
	}
	if opts.Prefix, err = app.PrefixArg(o.prefix); err != nil {
		return err
	}
	if err := o.untrusted.Check(); err != nil {
		return err
	}
	in, err := incoming(a, cmd, path)
	if err != nil {
		return err
	}
	rep, err := o.take(a, cmd, in, opts)
	err = app.PartlyStored(err, "the same command stores the rest")
	if errors.Is(err, transfer.ErrArchive) {
		err = app.Hinted(err, advice.Say("nothing was stored: copy the file again, whole"))
	}
	if errors.Is(err, transfer.ErrChanged) {
		err = app.Hinted(err,
			advice.Say("copy the file again; --keep-going stores its other lines"))
	}
	if errors.Is(err, foreign.ErrUnknownFormat) {
		err = app.Hinted(err, advice.Run("import", "--help").Then(" lists the formats").
			Also(advice.Say("--format names one")))
	}
	if err != nil && (!o.keepGoing || app.IsEnded(err)) {
		return err
	}
	if perr := o.print(a, cmd, path, rep); perr != nil {
		return perr
	}
	return err
}

// take imports a file into one layer, or an archive into all that it has.
func (o *importOptions) take(a *app.App, cmd *cobra.Command, in transfer.Incoming,
	opts transfer.ImportOptions) (rep transfer.ImportReport, err error) {
	a.HoldsMany()
	ctx, stop := app.UntilInterrupted(cmd)
	defer stop()
	archive, in, err := transfer.OpenArchive(in, a.Build.Tar)
	if errors.Is(err, transfer.ErrNoTar) {
		return rep, a.HandOver("import", transfer.ReadBefore(err))
	}
	if err != nil {
		return rep, err
	}
	if archive == nil {
		s, err := a.OpenOne(cmd)
		if err != nil {
			return rep, err
		}
		opts.IDs = note.IDsOf(a.Layers.Sites.List()[0])
		return transfer.Import(ctx, s, a.Caller, in, opts)
	}
	defer archive.Close()
	l, err := a.Open(cmd)
	if err != nil {
		return rep, err
	}
	// One instant in all layers: mem undo --last takes them back together.
	now, err := a.Clock()
	if err != nil {
		return rep, err
	}
	by := a.Caller
	by.Now = log.StampOf(now())
	return archive.Import(ctx, by, opts,
		func(layer string) (*mem.Store, note.IDs, error) {
			one, err := l.Site(layer)
			if err != nil { // this place has one layer: all goes there
				one = l.Sites.List()[0]
			}
			s, err := l.Open(one)
			return s, note.IDsOf(one), err
		})
}

// formatArg reads a format; "" is none.
func formatArg(name, formats string) (foreign.Format, error) {
	format := foreign.Format(name)
	if name != "" && !format.IsKnown() {
		return "", app.BadInput("--format "+name, "want "+formats, "")
	}
	return format, nil
}
