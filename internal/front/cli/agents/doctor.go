package agents

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

type doctorOptions struct{ each app.StoresFlag }

func NewDoctorCmd(a *app.App) *cobra.Command {
	o := &doctorOptions{}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check stores and hooks, with a remedy for each fault",
		Long: `Check the stores, their disk and lock, and the hooks of the coding agents on
this machine. Each line has ok, warn or BAD and the subject, with a command for
each fault. The verb takes milliseconds and changes nothing; "mem fsck" reads
every record. Exit code 1 if something needs correction.`,
		Example: `  mem doctor
  mem doctor --jq '.findings[] | select(.fix) | .fix'`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	o.each.Register(cmd)
	return cmd
}

func (o *doctorOptions) run(a *app.App, cmd *cobra.Command) error {
	if err := a.Check(); err != nil {
		return err
	}
	e, err := newExam(a)
	if err != nil {
		return err
	}
	a.Layers = e.Layers // to be closed
	list, err := o.each.Sites(e.Layers)
	if err != nil {
		return err
	}
	checks := examine(a, cmd, e, &o.each, list)
	doc := doctor.Diagnosis{Findings: checks}
	if n := len(list); n > 0 {
		doc.Root = site.WholePath(list[n-1].Root)
	}
	print := app.Written(func(w io.Writer) error { return printChecks(a, w, checks) })
	err = a.Answer(cmd, doc, print)
	isWrong := func(f doctor.Check) bool { return f.Fix != "" }
	return app.NoIf(slices.ContainsFunc(checks, isWrong), err)
}

func newExam(a *app.App) (*doctor.Exam, error) {
	opts, err := a.Clocks()
	if err != nil {
		return nil, err
	}
	sites, err := a.FindSites("")
	if err != nil {
		return nil, err
	}
	return a.Exam(layers.New(sites, func(*site.Site) mem.Options { return opts }), opts), nil
}

// examine returns the checks of some stores, and of the machine.
func examine(a *app.App, cmd *cobra.Command, e *doctor.Exam, each *app.StoresFlag,
	list []*site.Site) []doctor.Check {
	title := func(one *site.Site) string { return each.Title(one, len(list)) }
	return slices.Concat(e.Checks(cmd.Context(), list, title), []doctor.Check{pathCheck()},
		buildChecks(), clientChecks(a, cmd, e), nativeChecks(a, cmd, &e.Layers.Sites))
}

// HereChecks returns the checks of doctor without flags, for a caller that has no store open.
func HereChecks(a *app.App, cmd *cobra.Command) []doctor.Check {
	e, err := newExam(a)
	if err != nil {
		return nil // the caller has checked the flags
	}
	defer e.Layers.Close() // it only reads
	return examine(a, cmd, e, &app.StoresFlag{}, e.Layers.Sites.List())
}

// clientChecks returns the checks of the coding agents.
func clientChecks(a *app.App, cmd *cobra.Command, e *doctor.Exam) (list []doctor.Check) {
	ask, err := newAsk(a, cmd)
	if err != nil {
		return []doctor.Check{{
			What: "setup", Message: err.Error(), Level: doctor.Warn,
			Fix: "set HOME, and change to a directory that exists",
		}}
	}
	ask.Flags = nil // --root is the store to check, not the one that hooks should name
	last, list := e.Injections()
	clients, outdated := setup.List(ask), outdatedCopy(ask)
	chosen := slices.ContainsFunc(clients, setup.Status.Installed)
	for _, w := range clients {
		ask.Client, ask.Scope = setup.ClientByName(w.Client), w.Scope
		if ran, at := last[w.Client], modTime(w.Path); w.State == setup.Unapproved &&
			!at.IsZero() && ran.At.Time().After(at) {
			w.State = setup.Wired // by whatever sign, the client has run them since
		}
		f := checkOf(w, setup.KeepFlags(ask), lastGiven(last, w.Client, e.Options.Now()))
		switch {
		case w.State == setup.Absent:
			continue
		case w.State == setup.Found && chosen:
			// Another scope is set up, so this one is left out on purpose.
			f.Level, f.Fix = doctor.OK, ""
		case w.Installed() && w.Scope == setup.Project && len(setup.OtherScopes(ask)) > 0:
			f.Level, f.Fix = doctor.Warn, setupCommand(ask)+" --remove"
			f.Message += "; the user's are wired too, so memories are injected twice"
		}
		if text := unread(a, ask.Client, w.Root); text != "" && w.State == setup.Wired {
			list = append(list, doctor.Check{What: "MEM_ROOT", Level: doctor.Warn, Message: text})
		}
		if f.Level == doctor.OK && outdated != "" && w.Installed() {
			f.Level, f.Fix = doctor.Warn, setupCommand(setup.KeepFlags(ask))
			f.Message += ": " + outdated + " is a copy of another version than this mem"
		}
		list = append(list, f)
	}
	return list
}

// checkOf returns the check of one client in one scope.
func checkOf(w setup.Status, ask setup.Request, given string) doctor.Check {
	where := string(w.Scope) + ", " + shortPath(w.Path, ask.Place.Home) +
		withFlags(w.Root, w.Agent, w.Bridge, w.NoCapture)
	f := doctor.Check{What: w.Client, Message: where, Level: doctor.OK}
	gone := setup.GoneProgram(ask)
	ended, fix := endedBy(ask)
	switch {
	case gone != "":
		f.Message, f.Level = where+": nothing runs: "+gone+" is gone", doctor.Bad
		f.Fix = setupCommand(ask)
	case w.State == setup.Found:
		f.Message, f.Level, f.Fix = "not wired", doctor.Warn, setupCommand(ask)
	case w.State == setup.Broken:
		f.Message, f.Level, f.Fix = w.Why, doctor.Bad, "mend that file, then "+setupCommand(ask)
	case w.State == setup.Stale:
		f.Message, f.Level = where+": different from the version of this mem", doctor.Warn
		f.Fix = setupCommand(ask)
	case ended != "":
		f.Message, f.Level, f.Fix = where+": "+ended, doctor.Warn, fix+" from that file"
	case w.State == setup.Unapproved:
		f.Level, f.Message = doctor.Warn, where+": wired, but "+w.Client+" runs no hook before "+
			"it is approved"
		f.Fix = "run " + w.Client + " and approve the hooks in /hooks"
	case w.State == setup.Custom && !ask.Client.HasHooks():
		f.Level, f.Message = doctor.Warn, where+": another server is called mem there"
		f.Fix = setupCommand(ask) + " --check"
	case w.State == setup.Custom:
		f.Level = doctor.Warn
		f.Message = where + ": mem's hook runs inside another command, so setup leaves it unchanged"
		f.Fix = setupCommand(ask) + " --check"
	case w.Root != "":
		f.Message += ": wired"
	case !ask.Client.HasHooks():
		f.Message += ": wired"
	default:
		f.Message += ": wired, " + given
	}
	if f.Level == doctor.OK && w.Unguided {
		f.Message += "; without guidance, which " + setupCommand(ask) + " adds"
	}
	return f
}

// modTime returns when a file was changed; the zero time if that cannot be known.
func modTime(path string) (at time.Time) {
	if fi, err := os.Stat(path); err == nil {
		at = fi.ModTime()
	}
	return at
}

func lastGiven(last map[string]inject.Injection, client string, now time.Time) string {
	in, ok := last[client]
	if !ok {
		return "no memory was injected yet"
	}
	ago := text.Ago(now.Sub(in.At.Time()))
	return fmt.Sprintf("%s given %s", app.Memories(len(in.Memories)), ago)
}
