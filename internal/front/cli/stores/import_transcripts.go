package stores

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type transcriptOptions struct {
	read           bool
	since, project string
}

func (o *transcriptOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.read, "transcripts", false,
		"propose facts from Claude Code's record of conversations")
	f.StringVar(&o.since, "since", "", "of transcripts only what is of this `TIME` or later")
	f.StringVar(&o.project, "project", "", "of transcripts only this `FOLDER` and those below it")
}

func (o *importOptions) runAny(a *app.App, cmd *cobra.Command, args []string) error {
	other := app.FirstChanged(cmd, "prefix", "format", "mine", "force", "keep-going",
		"allow-secret")
	switch {
	case o.transcripts.read && other != "":
		return app.BadInput("--"+other, "it cannot be used with --transcripts", "")
	case o.transcripts.read:
		return o.runTranscripts(a, cmd, args)
	case o.transcripts.since != "" || o.transcripts.project != "":
		return app.BadInput("import", "--since and --project need --transcripts", "")
	case len(args) == 0:
		return app.WantArgs(1, 1, importArgs)(cmd, args)
	}
	return o.run(a, cmd, args[0])
}

// runTranscripts proposes facts from transcripts of Claude Code.
func (o *importOptions) runTranscripts(a *app.App, cmd *cobra.Command, args []string) error {
	opts, err := a.Clocks()
	if err != nil {
		return err
	}
	in := intake.ImportOptions{DryRun: o.dryRun,
		Place: func(dir string) (string, string, error) { return factPlace(a, dir) }}
	since, err := app.ParseWhen("--since", o.transcripts.since, opts.Now())
	if err != nil {
		return err
	}
	if since != nil {
		in.Since = *since
	}
	if o.transcripts.project != "" {
		if in.Project, err = filepath.Abs(o.transcripts.project); err != nil {
			return err
		}
	}
	files, err := o.transcriptFiles(a, args)
	if err != nil {
		return err
	}
	ctx, stop := app.UntilInterrupted(cmd)
	defer stop()
	a.Bar = app.NewBar(cmd.ErrOrStderr(), a.Quiet)
	in.Progress = func(done, total int) { a.Bar.Progress("transcripts", done, total) }
	damaged := 0
	in.Damaged = func(path string, line int) {
		if damaged++; damaged > app.MaxExamples {
			return
		}
		a.Tell(cmd, "warning", app.OneLine(path)+": line "+strconv.Itoa(line)+
			" is damaged, and skipped")
	}
	list, err := intake.Import(ctx, a.Inbox(), files, in)
	if err != nil {
		return noTranscripts(err)
	}
	if len(list) == 0 {
		a.Say(cmd, "nothing in "+app.Count(len(files), "transcript")+" is of that time and folder")
	}
	return o.printTranscripts(a, cmd, list)
}

// transcriptFiles returns the transcripts that are named; those of Claude Code for none.
func (o *importOptions) transcriptFiles(a *app.App, args []string) (
	[]string, error) {
	path := "claude-code"
	if len(args) > 0 {
		path = args[0]
	}
	if path == "claude-code" {
		place, err := a.Surroundings()
		if err != nil {
			return nil, err
		}
		path = place.HomeOf(setup.ClientByName(path))
	}
	files, err := intake.Transcripts(path)
	return files, noTranscripts(err)
}

// noTranscripts returns the error of a path without a transcript as that of wrong input.
func noTranscripts(err error) error {
	if errors.Is(err, intake.ErrNoTranscripts) || errors.Is(err, fs.ErrNotExist) {
		return fault.Input("import --transcripts", app.OneLine(err.Error()),
			advice.Run("import", "--transcripts", "FILE").Then(" names one"))
	}
	return err
}

// factPlace returns the store that a fact of a working directory's project goes to.
func factPlace(a *app.App, dir string) (store, project string, err error) {
	sites, err := site.Find(a.Root, dir, a.Getenv)
	if err != nil {
		return "", "", err
	}
	l := layers.New(sites, func(*site.Site) mem.Options { return mem.Options{} })
	one, err := intake.FactSite(l)
	if err != nil {
		return "", "", err
	}
	return one.Address(), sites.Name(), nil
}

func (o *importOptions) printTranscripts(a *app.App, cmd *cobra.Command,
	list []intake.Imported) error {

	t := app.Table{Head: []string{"PROJECT", "CONVERSATIONS", "PROMPTS", "COMMANDS", "NEW", "KNOWN",
		"NO ROOM"}}
	made, full := 0, 0
	for _, im := range list {
		t.Add(app.OneLine(im.Project), strconv.Itoa(im.Conversations), strconv.Itoa(im.Prompts),
			strconv.Itoa(im.Commands), strconv.Itoa(im.New), strconv.Itoa(im.Known),
			strconv.Itoa(im.Full))
		made, full = made+im.New, full+im.Full
	}
	if made > 0 && !o.dryRun && a.Explains() {
		a.Advise(cmd, "hint", advice.Run("approve").Then(" lists them, in each project"))
	}
	if full > 0 {
		a.Mention(cmd, app.Count(full, "fact")+
			" without room: decide about the others, and run it again")
	}
	return a.Answer(cmd, map[string]any{"dry_run": o.dryRun, "projects": list}, t.Write)
}
