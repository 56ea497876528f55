package daily

import (
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type setOptions struct {
	source      app.SourceFlags
	content     app.ContentFlags
	ifAbsent    bool
	ifTS        string
	untrusted   app.UntrustedFlag
	keepGoing   bool
	resume      bool
	allowSecret []string
	force       bool
	propose     bool
}

func NewSetCmd(a *app.App) *cobra.Command {
	o := &setOptions{}
	cmd := &cobra.Command{
		Use:         "set <key> [<json>|-|@file]",
		Short:       "store a memory, or delete it with null",
		Annotations: app.GivenArgs(app.Dash, app.AtFile),
		Long: `Store content under a key and print the path of its index file. The content is
any JSON; null deletes the key. "-" reads it from standard input, "@file" from
a file, and --text and other flags build it.

"mem set -" reads a batch from standard input: a JSON object
{"key","content","source"} on each line. All lines are checked before anything
is written; then they are written in groups of up to 10,000. After an
interruption the verb prints how many are stored, and the same command with
--resume skips those. A line with a "ts" is an import and keeps its time.

content.importance is a number in 0..1, or above 1 one out of 10: 1 means 1.0
and so outranks 9, and 0.1 is the least of 1..10. A whole 1 gives a warning.

Every write has a source. Content from the web, a tool or a file, and every key
under /kb, needs kind, name, retrieved_at and a locator. A text that looks like
a secret is refused, unless --allow-secret names the rule that is wrong.`,
		Example: `  mem set /user/style '{"type":"preference","summary":"tabs"}' --source chat
  mem set /user/name --text 'Ada' --type fact --source chat
  mem set /kb/go/version --text 'Go 1.26' --kind web --name go.dev \
    --url https://go.dev/dl
  mem set /user/name null --source chat
  jq -c '{key,content}' notes.jsonl | mem set - --source import`,
		Args:              app.WantArgs(1, 2, "a key and one JSON text (quote it for the shell)"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.source.Register(cmd)
	o.content.Register(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.ifAbsent, "if-absent", false, "write only if the key has no live memory")
	f.StringVar(&o.ifTS, "if-ts", "", "write only if the newest envelope of the key has this `TS`")
	o.untrusted.Register(cmd)
	f.BoolVar(&o.keepGoing, "keep-going", false,
		"write the valid lines of a batch even if others are not")
	f.BoolVar(&o.resume, "resume", false,
		"skip the lines of a batch whose key has the same content and source already")
	f.StringArrayVar(&o.allowSecret, "allow-secret", nil, app.AllowSecretUsage)
	app.RegisterForce(cmd, &o.force)
	a.RegisterPropose(cmd, &o.propose)
	return cmd
}

func (o *setOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	if err := o.untrusted.Check(); err != nil {
		return err
	}
	if o.source.Source == "-" && slices.Contains(args, "-") {
		return app.BadInput("--source -", "standard input holds the content already",
			"give the source as text, or with @file")
	}
	l, source, err := a.OpenSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	if args[0] == "-" {
		return o.batch(a, cmd, l, args, source)
	}
	return o.one(a, cmd, l, args, source)
}

func (o *setOptions) one(
	a *app.App, cmd *cobra.Command, l *layers.Layers, args []string, source []byte,
) error {
	if o.resume {
		return app.BadInput("--resume", "only a batch can be resumed, mem set -", "")
	}
	w := mem.Write{Source: source}
	var err error
	if w.Key, err = app.KeyArg(args[0]); err != nil {
		return err
	}
	if w.Content, err = o.body(a, cmd, args[1:]); err != nil {
		return err
	}
	if source == nil {
		return unsourced(args, w.Content)
	}
	opts, err := o.conditions()
	if err != nil {
		return err
	}
	s, site, err := app.OpenFor(l, w.Key)
	if err != nil {
		return err
	}
	if o.propose {
		err := a.Propose(cmd, s, l.NameOf(site), proposal.Change{Verb: "set", Key: w.Key,
			Content: w.Content, Source: w.Source})
		return app.ContentError(err, args, w.Content)
	}
	was := factOfPerson(a, cmd, s, w.Key)
	out, err := s.Set(cmd.Context(), a.Caller, w, opts)
	if err != nil {
		return app.ContentError(err, args, w.Content)
	}
	out.Layer = l.NameOf(site)
	a.SayUnfiled(cmd, l, out.Key)
	if out.Key == was.Key {
		sayWhose(a, cmd, was, advice.Run("undo", out.Key.String()).Then(" brings that back"))
	}
	return a.PrintOutcome(cmd, out)
}

// unsourced returns the error of a write without a source, or of its content, if that is no JSON:
// a content that is text comes of the same slip.
func unsourced(args []string, text []byte) error {
	_, err := jsontext.Compact(nil, text)
	if err == nil {
		return app.BadInput("set", "no source",
			"every write names its source, like --source 'chat with Ada'")
	}
	err = app.ContentError(&fault.Fault{What: "content", Err: err}, args, text)
	if len(args) == 2 && app.LooksLikeWords(text) {
		err = app.Hinted(err, advice.Run("set", args[0], "--text",
			strings.TrimSpace(string(text)), "--source", "chat with Ada").
			Then(" stores plain text"))
	}
	return err
}

func (o *setOptions) conditions() (opts mem.SetOptions, err error) {
	opts = mem.SetOptions{IfAbsent: o.ifAbsent, Quarantine: o.untrusted.Quarantines(),
		AllowSecrets: o.allowSecret, Force: o.force}
	if o.ifTS == "" {
		return opts, nil
	}
	ts, err := log.ParseTime(o.ifTS)
	if err != nil {
		return opts, app.BadInput("--if-ts", err.Error(), "")
	}
	opts.IfTS = &ts
	return opts, nil
}

// body returns the content: the argument, or what the content flags build.
func (o *setOptions) body(a *app.App, cmd *cobra.Command, args []string) ([]byte, error) {
	if len(args) > 0 && !o.content.Empty() {
		return nil, app.BadInput("set",
			"give the content as JSON, or with --text and its like, not both",
			"in JSON the members are type, summary, text, importance, tags, expired_at and "+
				"pinned")
	}
	now, err := a.Clock()
	if err != nil {
		return nil, err
	}
	built, err := o.content.Build(now().UTC())
	switch {
	case err != nil:
		return nil, err
	case built != nil:
		return built, nil
	case len(args) == 0:
		return nil, app.BadInput("set", "no content",
			"give JSON, - for standard input, @file, or --text")
	}
	text, err := a.JSONArg(cmd, "content", args[0], policy.MaxContent)
	if err != nil {
		return nil, err
	}
	return text, nil
}

func (o *setOptions) batch(
	a *app.App, cmd *cobra.Command, l *layers.Layers, args []string, source []byte,
) error {
	if len(args) > 1 || o.ifAbsent || o.ifTS != "" || o.propose || !o.content.Empty() {
		return app.BadInput("set -",
			"a batch takes its keys and contents from its lines, and no conditions "+
				"or proposals", "")
	}
	in, err := app.BatchInput(cmd.InOrStdin())
	if err != nil {
		return err
	}
	a.HoldsMany()
	ctx, stop := app.UntilInterrupted(cmd)
	defer stop()
	rep, err := l.SetAll(ctx, a.Caller, in, mem.BatchOptions{
		Source: source, KeepGoing: o.keepGoing, Resume: o.resume,
		Quarantine: o.untrusted.Quarantines(), AllowSecrets: o.allowSecret, Force: o.force,
	})
	err = app.PartlyStored(err, "the same command with --resume stores the rest")
	if err != nil && !o.keepGoing {
		return err
	}
	if perr := o.printReport(a, cmd, rep); perr != nil {
		return perr
	}
	return err
}

func (o *setOptions) printReport(a *app.App, cmd *cobra.Command, rep mem.BatchReport) error {
	written, unchanged := app.Always(rep.Written, "written"), app.IfAny(rep.Unchanged, "unchanged")
	if o.resume {
		written, unchanged = app.Always(rep.Written, "stored"),
			app.Always(rep.Unchanged, "already there")
	}
	return a.Answer(cmd, rep, app.Report(app.Tally(written, unchanged,
		app.IfAny(rep.Stale, "older than the stored version"),
		app.IfAny(rep.Apart, "quarantined under /untrusted"),
		app.IfAny(rep.Refused, "refused"))))
}
