package cli

import (
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type setOptions struct {
	source      sourceFlags
	content     contentFlags
	ifAbsent    bool
	ifTS        string
	untrusted   untrustedFlag
	keepGoing   bool
	resume      bool
	allowSecret []string
	force       bool
	propose     bool
}

func newSetCmd(a *app) *cobra.Command {
	o := &setOptions{}
	cmd := &cobra.Command{
		Use:   "set <key> [<json>|-|@file]",
		Short: "store a memory, or delete it with null",
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
		Args:              wantArgs(1, 2, "a key and one JSON text (quote it for the shell)"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.source.register(cmd)
	o.content.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.ifAbsent, "if-absent", false, "write only if the key has no live memory")
	f.StringVar(&o.ifTS, "if-ts", "", "write only if the newest envelope of the key has this `TS`")
	o.untrusted.register(cmd)
	f.BoolVar(&o.keepGoing, "keep-going", false,
		"write the valid lines of a batch even if others are not")
	f.BoolVar(&o.resume, "resume", false,
		"skip the lines of a batch whose key has the same content and source already")
	f.StringArrayVar(&o.allowSecret, "allow-secret", nil, allowSecretUsage)
	registerForce(cmd, &o.force)
	registerPropose(a, cmd, &o.propose)
	return cmd
}

func (o *setOptions) run(a *app, cmd *cobra.Command, args []string) error {
	if err := o.untrusted.check(); err != nil {
		return err
	}
	if o.source.source == "-" && slices.Contains(args, "-") {
		return &usage{
			what: "--source -", why: "standard input holds the content already",
			hint: "give the source as text, or with @file",
		}
	}
	l, source, err := a.openSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	if args[0] == "-" {
		return o.batch(a, cmd, l, args, source)
	}
	return o.one(a, cmd, l, args, source)
}

func (o *setOptions) one(
	a *app, cmd *cobra.Command, l *mem.Layers, args []string, source []byte,
) error {
	if o.resume {
		return &usage{what: "--resume", why: "only a batch can be resumed, mem set -"}
	}
	w := mem.Write{Source: source}
	var err error
	if w.Key, err = keyArg(args[0]); err != nil {
		return err
	}
	if w.Content, err = o.body(a, cmd, args[1:]); err != nil {
		return err
	}
	if source == nil {
		if _, err := jsontext.Compact(nil, w.Content); err != nil {
			return contentError(fmt.Errorf("content: %w", err), args, w.Content)
		}
		return &usage{
			what: "set", why: "no source",
			hint: "every write names its source, like --source 'chat with Ada'",
		}
	}
	opts := mem.SetOptions{
		IfAbsent: o.ifAbsent, Quarantine: o.untrusted.quarantines(), AllowSecrets: o.allowSecret,
		Force: o.force,
	}
	if o.ifTS != "" {
		ts, err := log.ParseTime(o.ifTS)
		if err != nil {
			return &usage{what: "--if-ts", why: err.Error()}
		}
		opts.IfTS = &ts
	}
	s, site, err := openFor(l, w.Key)
	if err != nil {
		return err
	}
	if o.propose {
		err := a.propose(cmd, s, layerName(l, site), proposal.Change{Verb: "set", Key: w.Key,
			Content: w.Content, Source: w.Source})
		return contentError(err, args, w.Content)
	}
	out, err := s.Set(cmd.Context(), caller, w, opts)
	if err != nil {
		return contentError(err, args, w.Content)
	}
	out.Layer = layerName(l, site)
	return a.printOutcome(cmd, out)
}

// body returns the content: the argument, or what the content flags build.
func (o *setOptions) body(a *app, cmd *cobra.Command, args []string) ([]byte, error) {
	if len(args) > 0 && !o.content.empty() {
		return nil, &usage{
			what: "set",
			why:  "give the content as JSON, or with --text and its like, not both",
			hint: "in JSON the members are type, summary, text, importance, tags, expired_at and " +
				"pinned",
		}
	}
	now, err := a.clock()
	if err != nil {
		return nil, err
	}
	built, err := o.content.build(now().UTC())
	switch {
	case err != nil:
		return nil, err
	case built != nil:
		return built, nil
	case len(args) == 0:
		return nil, &usage{
			what: "set", why: "no content",
			hint: "give JSON, - for standard input, @file, or --text",
		}
	}
	text, err := jsonArg(cmd, "content", args[0], policy.MaxContent)
	if err != nil {
		return nil, err
	}
	return text, nil
}

func (o *setOptions) batch(
	a *app, cmd *cobra.Command, l *mem.Layers, args []string, source []byte,
) error {
	if len(args) > 1 || o.ifAbsent || o.ifTS != "" || o.propose || !o.content.empty() {
		return &usage{
			what: "set -",
			why: "a batch takes its keys and contents from its lines, and no conditions " +
				"or proposals",
		}
	}
	in, err := batchInput(cmd.InOrStdin())
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(cmd)
	defer stop()
	rep, err := l.SetAll(ctx, caller, in, mem.BatchOptions{
		Source: source, KeepGoing: o.keepGoing, Resume: o.resume,
		Quarantine: o.untrusted.quarantines(), AllowSecrets: o.allowSecret, Force: o.force,
	})
	err = partlyStored(err, "the same command with --resume stores the rest")
	if err != nil && !o.keepGoing {
		return err
	}
	if perr := o.printReport(a, cmd, rep); perr != nil {
		return perr
	}
	return err
}

func (o *setOptions) printReport(a *app, cmd *cobra.Command, rep mem.BatchReport) error {
	written, unchanged := always(rep.Written, "written"), ifAny(rep.Unchanged, "unchanged")
	if o.resume {
		written, unchanged = always(rep.Written, "stored"), always(rep.Unchanged, "already there")
	}
	return a.answer(cmd, rep, report(tally(written, unchanged,
		ifAny(rep.Stale, "older than the stored version"),
		ifAny(rep.Apart, "quarantined under /untrusted"),
		ifAny(rep.Refused, "refused"))))
}
