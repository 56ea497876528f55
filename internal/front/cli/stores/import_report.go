package stores

import (
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (o *importOptions) print(a *app.App, cmd *cobra.Command, path string,
	rep transfer.ImportReport) error {
	if rep.Absent > 0 {
		a.Tell(cmd, "warning", app.Count(rep.Absent, "artifact")+" without the bytes: copy the "+
			"directory artifacts/ of the store that they come from into this one")
	}
	if a.Explains() {
		sayPlaces(a, cmd, rep)
	}
	if a.Talks() && len(rep.Kept)+rep.Facts > 0 {
		hint := advice.Say("only a person imports the rules of a file")
		if policy.IsPerson(a.Caller) {
			hint = asMine(cmd, path)
		}
		a.Advise(cmd, "hint", hint)
	}
	if n := len(rep.OfFile); n > 0 && a.Talks() {
		key := rep.OfFile[0].Shown()
		a.Tell(cmd, "note", key+" is a fact, since its source is a file")
		a.Advise(cmd, "hint", advice.Run("approve", key).Then(" makes it a rule of yours"))
	}
	line := app.Tally(app.Always(rep.New, "new"), app.Always(rep.Changed, "changed"),
		app.Always(rep.Unchanged, "unchanged"), app.Always(rep.Refused, "refused"),
		app.IfAny(rep.Stale, "older than the stored version"),
		app.IfAny(rep.Purged, "of them purged"),
		app.IfAny(rep.Apart, "quarantined under /untrusted"),
		app.IfAny(rep.Facts+len(rep.OfFile), "stored as facts, not rules"),
		app.IfAny(len(rep.Kept), "of your rules kept"))
	if rep.DryRun {
		line += " (dry run, nothing written)"
	}
	return a.Answer(cmd, rep, func(a *app.App, cmd *cobra.Command) error {
		for _, item := range rep.Items {
			if err := app.Line(item.Key.Shown()+"  "+
				strings.Join(strings.Fields(item.Text), " "))(a, cmd); err != nil {
				return err
			}
		}
		return app.Report(line)(a, cmd)
	})
}

// asMine returns the command as it was called, with --mine: in words where its input is gone.
func asMine(cmd *cobra.Command, path string) advice.List {
	const imports = " imports the rules of the file as yours"
	if path == "-" {
		return advice.Shell("the same command with --mine" + imports)
	}
	args := []string{path, "--mine"}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for i := 0; f.Changed && f.Name != "dry-run" && i < len(values); i++ {
			args = append(args, "--"+f.Name+"="+values[i])
		}
	})
	if path[0] == '-' {
		args = append(args[1:], "--", path)
	}
	return advice.Run("import", args...).Then(imports)
}

// sayPlaces lists the records that were stored under another key, and the rules that stayed.
func sayPlaces(a *app.App, cmd *cobra.Command, rep transfer.ImportReport) {
	for _, r := range rep.Renamed {
		a.Tell(cmd, "note", r.From.Shown()+" is taken here: stored as "+r.To.Shown())
	}
	for _, key := range rep.Kept {
		a.Tell(cmd, "note", key.Shown()+": your rule stays")
	}
	for _, key := range rep.Conflicts {
		a.Tell(cmd, "note", key.Shown()+": changed here and in the file; the later change counts")
	}
}
