package stores

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type moveOptions struct {
	to      string
	from    string
	unfiled bool
	dryRun  bool

	unknown app.UnknownNames // of the arguments
}

func NewMoveCmd(a *app.App) *cobra.Command {
	o := &moveOptions{}
	cmd := &cobra.Command{
		Use:         "move [<key>...]",
		Short:       "move memories to the other layer",
		Annotations: app.GivenArgs(app.Dash),
		Long: `Move memories between the user's store and the project's; with --from, from any
store, such as that of a repository that has moved. They keep their time and
source, except that a memory which returns to a store gets a new time; a note
gets an id of the target. With --from the notes keep their ids, and all keys
their history, if the project's store has no notes yet and only you get it. A
memory stays, and is listed, if the target has a newer one. To a project whose
memory is behind a server memories go as facts in the name of your token, and
leave the store here once the server has them; rules wait there for a person, or
come with a person's token, which is asked for. mem mv gives a memory another
key.`,
		Example: `  mem move /project/db m-4 --to project
  mem move --unfiled --to project
  mem move --from ~/old/.mem --to project`,
		Args:              app.WantArgs(0, -1, "keys"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "the target `LAYER`: user or project")
	f.StringVar(&o.from, "from", "", "the `STORE` that they are in")
	f.BoolVar(&o.dryRun, "dry-run", false,
		"only list the memories that would be moved, with new ids")
	f.BoolVar(&o.unfiled, "unfiled", false,
		"all memories of the user's store that belong to no project")
	return cmd
}

func (o *moveOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	if a.Served != nil {
		return o.receive(a, cmd, args)
	}
	if err := o.check(args); err != nil {
		return err
	}
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	if l.Sites.One != nil {
		return app.BadInput("move", l.Sites.One.Why+" names one store, and a move needs two",
			"leave it out, and give --to user or --to project")
	}
	if o.from != "" {
		if err := l.MayTakeIn(a.Caller, o.from, "--from "+o.from); err != nil {
			return err
		}
	}
	if at := app.ServedIn(&l.Sites); at.URL != "" {
		return o.send(a, cmd, l, at, args)
	}
	to, err := l.Site(o.to)
	if err != nil {
		return app.NoLayer(o.to)
	}
	job, err := o.job(a, cmd, l, to, args)
	if err != nil {
		return err
	}
	rep, err := o.move(a, cmd, l, to, job)
	if err != nil && len(rep.Moved)+len(rep.Kept) == 0 {
		return err
	}
	print := func(*app.App, *cobra.Command) error { return o.print(a, cmd, to, rep) }
	return errors.Join(a.Answer(cmd, rep, print), err, o.missing(a, cmd, job, rep.Missing))
}

// move makes a move, and lets the typed rules among the moved memories wait in the target.
func (o *moveOptions) move(a *app.App, cmd *cobra.Command, l *layers.Layers, to *site.Site,
	job transfer.MoveJob) (rep transfer.MoveReport, err error) {
	rep, err = transfer.Move(cmd.Context(), a.Caller, job)
	from, bad := o.source(l)
	if job.DryRun || len(rep.Moved) == 0 || bad != nil {
		return rep, err
	}
	return rep, errors.Join(err, intake.FollowMove(a.Inbox(), from, to, rep.Moved))
}

// missing returns the error for keys that were not there, or are in the target already.
func (o *moveOptions) missing(a *app.App, cmd *cobra.Command, job transfer.MoveJob,
	keys []keypath.Key) error {
	for i, key := range keys {
		if _, err := job.To.Get(cmd.Context(), a.Caller, key, true); err == nil {
			there := app.Verdict(mem.KindNo, key.Shown()+": it is in the "+o.to+" layer already",
				advice.Run("ls", "-l").Then(" shows both layers"))
			return errors.Join(there, o.unknown.And(slices.Delete(slices.Clone(keys), i, i+1)))
		}
	}
	return o.unknown.And(keys)
}

func (o *moveOptions) check(args []string) error {
	if o.to == "" && o.unfiled {
		o.to = site.Project
	}
	switch {
	case o.to == "":
		return fault.Input("move", "where to?",
			advice.Say("want --to user or --to project").Also(advice.Run("mv", "OLD", "NEW").
				Then(" renames")))
	case o.to != site.User && o.to != site.Project:
		return app.BadInput("--to "+o.to, "want user or project", "")
	case o.unfiled && (len(args) > 0 || o.from != "" || o.to != site.Project):
		return app.BadInput("--unfiled", "it goes to the project, without keys and --from", "")
	case !o.unfiled && len(args) == 0 && o.from == "":
		return app.BadInput("move", "what?", "want keys, --unfiled or --from STORE")
	}
	return nil
}

// job returns the memories to move, with both stores.
func (o *moveOptions) job(a *app.App, cmd *cobra.Command, l *layers.Layers, to *site.Site,
	args []string) (job transfer.MoveJob, err error) {
	from, err := o.source(l)
	if err != nil {
		return job, err
	}
	job.IDs, job.Place, job.DryRun = note.IDsOf(to), site.WholePath(to.Root), o.dryRun
	job.User, job.Beside = to.Layer == site.User, o.from == ""
	job.Follows = job.Beside && job.User && !from.Public()
	job.History = o.from != "" && !job.User && !to.Public()
	if job.From, err = l.Open(from); err != nil {
		return job, err
	}
	if job.To, err = l.Open(to); err != nil {
		return job, err
	}
	if err := o.checkStore(job.From); err != nil {
		return job, err
	}
	if o.unfiled {
		job.Wanted = layers.IsUnfiled
	}
	names := job.From
	if o.from == "" {
		if names, err = l.Reading(); err != nil { // a key in the target layer is known, too
			return job, err
		}
	}
	job.Keys, o.unknown, err = a.NamedKeys(cmd, names, args)
	return job, err
}

// checkStore refuses a directory that is no store, as the one that has a .mem in it.
func (o *moveOptions) checkStore(s *mem.Store) error {
	if o.from == "" {
		return nil // one of two layers may not be there yet
	}
	for _, name := range []string{"log.jsonl", "archive"} {
		if !site.IsGone(filepath.Join(s.Path(), name)) {
			return nil
		}
	}
	do := advice.Run("where", "--all").Then(" lists them all")
	if inner := filepath.Join(s.Path(), site.DotDir); !site.IsGone(inner) {
		do = app.DidYouMean.Then("--from " + advice.Quote(inner))
	}
	return fault.Input("move", "no store at "+s.Path(), do)
}

// source returns the store that they are taken from: that of --from, or the other layer.
func (o *moveOptions) source(l *layers.Layers) (*site.Site, error) {
	if o.from != "" {
		return l.Sites.Source(o.from)
	}
	other := site.User
	if o.to == site.User {
		other = site.Project
	}
	site, err := l.Site(other)
	if err != nil {
		return nil, app.NoLayer(other)
	}
	return site, nil
}

func (o *moveOptions) print(a *app.App, cmd *cobra.Command, to *site.Site,
	rep transfer.MoveReport) error {
	if len(rep.Moved)+len(rep.Kept)+len(rep.Missing) == 0 {
		a.Mention(cmd, "nothing to move")
	}
	untold := 0
	for _, m := range rep.Moved {
		if to.Layer == site.User && !o.dryRun && layers.IsUnfiled(m.To) {
			untold++
		}
		if a.Quiet {
			continue
		}
		line := m.From.Shown()
		if !o.dryRun || m.To != m.From {
			line += "\t" + m.To.Shown()
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), line); err != nil {
			return err
		}
	}
	for _, k := range rep.Kept {
		a.Tell(cmd, "warning", k.Key.Shown()+" stays: "+k.Why)
	}
	if n := len(rep.Waits); n > 0 && a.Talks() {
		a.Advise(cmd, "hint", advice.Say("waiting there for a person: "+app.Count(n, "rule")).
			Also(advice.Run("approve").Then(" lists what waits")))
	}
	if untold > 0 && a.Talks() {
		a.Tell(cmd, "hint", app.Memories(untold)+" of no project there, which hooks do not inject "+
			"inside a project; keys below /user are injected everywhere")
	}
	return nil
}
