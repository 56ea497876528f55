package stores

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/lettering"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type copyOptions struct{ dryRun bool }

func NewCopyCmd(a *app.App) *cobra.Command {
	o := &copyOptions{}
	cmd := &cobra.Command{
		Use:   "copy <from> <to>",
		Short: "copy a whole memory to another store",
		Long: `Copy a whole store to another one: every version of every key with its time,
deleted, expired, quarantined and private memories, artifact files, and
config.json if the target has none. The target is empty: where a copy was
interrupted, remove what it left, and begin again.

From this machine's copy of a space in PostgreSQL, or a copy set aside, it adds
what the server has lost since: no newer version is replaced, no purge undone.

At the end the verb prints, for the first segment of keys, the number of
memories and the SHA-256 of their lines (keys of one segment count under "/").
Exit code 6 if the stores differ, also where the source has lines that cannot
be read, or lacks the bytes of an artifact: all else is copied.`,
		Example: `  mem copy ~/.local/share/mem /mnt/backup/mem
  mem copy .mem ~/elsewhere --dry-run`,
		Args: app.WantArgs(2, 2, "two stores, from and to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0], args[1])
		},
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only count the writes to copy")
	return cmd
}

func (o *copyOptions) run(a *app.App, cmd *cobra.Command, from, to string) error {
	if err := a.Check(); err != nil {
		return err
	}
	if a.Root != "" || a.Layer != "" {
		return fault.Input("copy", "it cannot be used with --root or --layer",
			advice.Say("name both stores, like: ").RunAlone("copy", "FROM", "TO"))
	}
	job := transfer.CopyJob{DryRun: o.dryRun}
	copies, err := transfer.Copy, error(nil)
	if transfer.IsCopyOfSpace(from) {
		copies, job.From.Name = transfer.BringBack, from
	} else if job.From, err = openSide(a, cmd, from); err != nil {
		return err
	} else {
		defer job.From.Store.Close()
	}
	if job.To, err = openSide(a, cmd, to); err != nil {
		return err
	}
	defer job.To.Store.Close()
	job.Progress = a.Bar.Progress
	a.HoldsMany()
	ctx, stop := app.UntilInterrupted(cmd)
	defer stop()
	rep, err := copies(ctx, a.Caller, job)
	var lacks error
	if errors.As(err, new(*transfer.LackError)) {
		lacks, err = err, nil
	} else if err == nil || !a.AsJSON() {
		o.warn(a, cmd, job, rep)
	}
	if err != nil {
		return cutShort(err, to)
	}
	return cmp.Or(o.letter(a, cmd, job, to), o.print(a, cmd, rep), lacks)
}

// letter replaces plain ids by ids with letters in a copy that is a layer.
func (o *copyOptions) letter(a *app.App, cmd *cobra.Command, job transfer.CopyJob,
	to string) error {
	l, err := a.Open(cmd)
	if err != nil || o.dryRun || !l.Sites.Named(to, "the target").IsLayer() {
		return err
	}
	given, err := lettering.Give(cmd.Context(), job.To.Store, a.Caller)
	for _, one := range given {
		a.Mention(cmd, one.From.Shown()+" is "+one.To.Shown()+" there")
	}
	return err
}

func openSide(a *app.App, cmd *cobra.Command, root string) (transfer.Side, error) {
	if root == "" {
		return transfer.Side{}, app.BadInput("copy", "want two stores, and one name is empty", "")
	}
	s, err := openRoot(a, cmd, root)
	return transfer.Side{Store: s, Name: root}, err
}

// openRoot opens the store at a root that a verb names as an argument.
func openRoot(a *app.App, cmd *cobra.Command, root string) (*mem.Store, error) {
	opts, err := a.StoreOptions(cmd)
	if err != nil {
		return nil, err
	}
	opts.Shared = (&site.Site{Root: root}).Shared()
	return mem.Open(root, opts)
}

// cutShort adds to the error of a copy that was stopped how it begins again.
func cutShort(err error, to string) error {
	if mem.KindOf(err) != mem.KindInput && errors.As(err, new(*mem.PartialError)) {
		return app.Hinted(err, advice.Say("remove "+to+", and run the same command again"))
	}
	return err
}

func (o *copyOptions) print(a *app.App, cmd *cobra.Command, rep transfer.CopyReport) error {
	t := app.Table{Head: []string{"PREFIX", "MEMORIES", "SUM"}}
	for _, p := range rep.Prefixes {
		t.Add(keypath.Show(p.Prefix), strconv.Itoa(p.Memories), p.Sum[:12])
	}
	if err := a.Answer(cmd, rep, app.UnlessQuiet(t.Write)); err != nil {
		return err
	}
	a.Mention(cmd, summaryOf(rep))
	return nil
}

// summaryOf says in a line what a copy did.
func summaryOf(rep transfer.CopyReport) string {
	text := "copied: " + app.Count(rep.Versions, "version")
	if rep.DryRun {
		text = "would be copied: " + app.Count(rep.Versions, "version")
	}
	if rep.Artifacts > 0 {
		text += ", " + app.Count(rep.Artifacts, "artifact")
	}
	if rep.Config {
		text += ", the configuration"
	}
	if !rep.DryRun && !rep.Back && rep.Damaged+rep.Absent == 0 {
		text += "; both hold the same"
	}
	return text
}

// warn says what of the source could not be copied.
func (o *copyOptions) warn(a *app.App, cmd *cobra.Command, job transfer.CopyJob,
	rep transfer.CopyReport) {
	if !a.Talks() {
		return
	}
	if rep.Damaged > 0 {
		a.Advise(cmd, "warning", advice.Say(app.Count(rep.Damaged, "line")+" of "+job.From.Name+
			" cannot be read, and is not copied").Also(advice.Run("fsck").Then(" lists them")))
	}
	if rep.Absent > 0 {
		a.Tell(cmd, "warning", app.Count(rep.Absent, "artifact")+" without the bytes: "+
			job.From.Name+" does not have them")
	}
	if len(rep.Older) > 0 {
		a.Tell(cmd, "warning", job.To.Name+" has newer versions, which stay: "+
			strings.Join(shown(rep.Older), ", "))
	}
	if len(rep.Purged) > 0 {
		a.Advise(cmd, "warning", advice.Say("the purge was lost of "+
			strings.Join(shown(rep.Purged), ", ")).Also(advice.RunAlone("forget", append(
			[]string{"--root", job.To.Name, "--purge"}, shown(rep.Purged)...)...).
			Then(" repeats it")))
	}
}

// shown returns keys as they are shown, each once.
func shown(keys []keypath.Key) (list []string) {
	for _, key := range keys {
		if name := key.Shown(); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
