package tidy

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/view/lettering"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type fsckOptions struct {
	mem.FsckOptions
	each app.StoresFlag
}

func NewFsckCmd(a *app.App) *cobra.Command {
	o := &fsckOptions{}
	cmd := &cobra.Command{
		Use:   "fsck [<file>...]",
		Short: "check the store, and repair it from the log",
		Long: "Compare every file of the store with the log, and list the faults. " +
			"Exit code 1 if there are any. A repair also gives letters to notes of an\n" +
			"earlier mem in a layer, whose ids have none.\n\n" + checkList(),
		Example: `  mem fsck
  mem fsck --repair
  mem fsck --adopt        # after editing or adding files in index/ by hand
  mem fsck --adopt index/user/name@1a2b3c.json   # a removed one, too
  mem fsck --accept-loss archive/log_20260222T120000Z.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !o.Adopt {
				return app.WantArgs(0, 0, "no arguments but the files of --adopt")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	cmd.Flags().BoolVar(&o.Repair, "repair", false,
		"repair from the log; damaged bytes move to quarantine/, no undamaged record is lost")
	cmd.Flags().BoolVar(&o.Adopt, "adopt", false,
		"store hand edits of index files as writes of a user: all, or those in the files named")
	cmd.Flags().BoolVar(&o.TrustClock, "trust-clock", false,
		"treat times ahead of the clock as wrong, even if the log agrees with them")
	cmd.Flags().StringVar(&o.AcceptLoss, "accept-loss", "",
		"give up what the archive `FILE` has lost and no backup has, and repair the rest")
	app.OfMachine(cmd, "repair", "adopt", "trust-clock", "accept-loss")
	o.each.Register(cmd)
	return cmd
}

// whatHelps returns what to do about findings, of which adopted says that hand edits among them
// could not be stored.
func whatHelps(found []fsck.Finding, adopted bool) advice.List {
	repair, adopt := advice.Run("fsck", "--repair"), advice.Run("fsck", "--adopt")
	byHand, repairable := fsck.ByHand(found), fsck.Repairable(found)
	switch {
	case slices.Equal(fsck.Lasting(found), fsck.Copies()) && repairable == 0:
		return advice.Run("import", "FILE").Then(" imports a copy; then it can be removed")
	case repairable == 0:
		return acceptLoss(found, advice.Say(
			"restore the missing files from a backup: no repair can create them"))
	case adopted && byHand == len(found):
		return repair.Then(" corrects them")
	case byHand == len(found):
		return adopt.Then(" stores hand edits, ").Run("fsck", "--repair").Then(" reverts them")
	case repairable == len(found) && fsck.Removed(found) == len(found):
		return repair.Then(" restores the files, ").Run("fsck", "--adopt", "FILE").
			Then(" voids their memories")
	case byHand > 0:
		return repair.Then(" corrects them (before: ").Run("fsck", "--adopt").
			Then(" stores hand edits)")
	case repairable < len(found):
		return acceptLoss(found, advice.Say("restore the missing files from a backup ("+
			strings.Join(fsck.Lasting(found), ", ")+")").Also(repair.Then(" corrects the rest")))
	}
	return repair.Then(" corrects them")
}

func checkList() string {
	text := ""
	for _, c := range fsck.Checks() {
		text += fmt.Sprintf("  %s %-12s%s; --repair: %s\n", c.ID, c.Name, c.Meaning, c.Repair)
	}
	return text
}

func (o *fsckOptions) run(a *app.App, cmd *cobra.Command, files []string) error {
	if o.AcceptLoss != "" && (o.Adopt || o.TrustClock || o.each.All) {
		return app.BadInput("--accept-loss",
			"it cannot be used with --adopt, --trust-clock or --all", "leave them out")
	}
	if len(files) > 0 && a.Served != nil {
		return app.BadInput("fsck", "the files are the server's", "leave them out")
	}
	if len(files) > 0 || o.AcceptLoss != "" {
		s, err := a.OpenOne(cmd)
		if err != nil {
			return err
		}
		return app.Resumable(o.one(a, cmd, s, &site.Site{}, "", files))
	}
	return o.each.RunAt(a, cmd, func(s *mem.Store, at *site.Site, title string) error {
		return app.Resumable(o.one(a, cmd, s, at, title, nil))
	})
}

// checked is what --json prints of one store.
type checked struct {
	Layer string `json:"layer,omitempty"`
	mem.FsckReport
	// Lettered are the notes with plain ids that got letters.
	Lettered []lettering.Given `json:"lettered,omitempty"`
	// Unversioned are the records of sessions without a version.
	Unversioned []keypath.Key `json:"unversioned,omitempty"`
}

func (o *fsckOptions) one(a *app.App, cmd *cobra.Command, s *mem.Store, at *site.Site,
	title string, files []string) (err error) {
	opts := o.FsckOptions
	if opts.Files, err = belowRoot(s.Path(), files); err != nil {
		return err
	}
	if o.AcceptLoss != "" {
		names, err := belowRoot(s.Path(), []string{o.AcceptLoss})
		if err != nil {
			return err
		}
		opts.AcceptLoss = names[0]
		opts.Agree = func(loss mem.Loss) error { return agree(a, cmd, loss) }
	}
	if !s.Exists() && title != "" && !a.AsJSON() {
		return app.Report(app.Titled(title, "no store yet"))(a, cmd) // as it may be, of several
	}
	if !s.Exists() && !a.Quiet {
		a.Tell(cmd, "warning", s.Path()+": there is no store yet")
	}
	rep, err := s.Fsck(cmd.Context(), a.Caller, opts)
	if err != nil {
		return err
	}
	answer := checked{Layer: title, FsckReport: rep}
	if o.Repair && at.IsLayer() && s.Exists() {
		answer.Lettered, err = lettering.Give(cmd.Context(), s, a.Caller)
		if err != nil {
			return err
		}
	}
	if s.Exists() && len(rep.Left) == 0 { // else the findings come first: a reader repeats them
		answer.Unversioned, err = session.Unversioned(cmd.Context(), s, a.Caller)
		if err != nil {
			return err
		}
	}
	print := app.Written(func(w io.Writer) error { return o.print(a, w, answer) })
	return app.NoIf(len(rep.Left) > 0, a.Answer(cmd, answer, print))
}

// belowRoot returns the names of files below the root, given as such or as paths.
func belowRoot(root string, files []string) (names []string, err error) {
	for _, file := range files {
		name := filepath.Clean(file)
		if _, err := os.Lstat(filepath.Join(root, name)); err != nil || filepath.IsAbs(name) {
			abs, err := filepath.Abs(file)
			if err != nil {
				return nil, err
			}
			top, err := filepath.Abs(root)
			if err != nil {
				return nil, err
			}
			if rel, err := filepath.Rel(top, abs); err == nil && filepath.IsLocal(rel) {
				name = rel
			}
		}
		names = append(names, filepath.ToSlash(name))
	}
	return names, nil
}

func (o *fsckOptions) print(a *app.App, w io.Writer, rep checked) error {
	title := rep.Layer
	for _, f := range rep.Found {
		fmt.Fprintln(w, app.Titled(title, app.OneLine(f.String())))
	}
	for _, key := range rep.Adopted {
		fmt.Fprintln(w, app.Titled(title, "adopted "+key))
	}
	if rep.Accepted != nil {
		fmt.Fprintln(w, app.Titled(title, "given up: what "+app.OneLine(rep.Accepted.File)+
			" has lost"))
	}
	for _, one := range rep.Lettered {
		fmt.Fprintln(w, app.Titled(title, one.From.Shown()+" is "+one.To.Shown()+" now"))
	}
	for _, key := range rep.Unversioned {
		fmt.Fprintln(w, app.Titled(title, key.Shown()+
			" has no version: the verbs of sessions refuse its session"))
	}
	if a.Quiet {
		return nil
	}
	text := "ok: " + app.Count(rep.Records, "record") + ", nothing wrong"
	switch {
	case len(rep.Found) > 0 && len(rep.Left) == 0:
		text = fmt.Sprintf("%d found, all corrected", len(rep.Found))
	case len(rep.Left) > 0 && (o.Repair || o.Adopt || o.AcceptLoss != ""):
		text = fmt.Sprintf("%d found, %d left; %s", len(rep.Found), len(rep.Left),
			a.ForPeople(whatHelps(rep.Left, o.Adopt)))
	case len(rep.Left) > 0:
		text = fmt.Sprintf("%d found; %s", len(rep.Found), a.ForPeople(whatHelps(rep.Left, false)))
	}
	_, err := fmt.Fprintln(w, app.Titled(title, text))
	return err
}
