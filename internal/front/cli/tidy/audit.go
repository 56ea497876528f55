package tidy

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/audit"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type auditOptions struct {
	history bool
	prefix  string
	each    app.StoresFlag
	quality qualityFlags
}

func NewAuditCmd(a *app.App) *cobra.Command {
	o := &auditOptions{}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "find secrets, duplicates, stale and unsourced memories",
		Long: `Search the live memories, their keys and sources for tokens, keys and
passwords, and print key, rule, place and characters of each, never the secret.
Replace a secret that was stored wherever it is used: the log keeps deleted
memories. Exit code 1 if something was found.

The other checks replace this search: equal content or text (--duplicates,
which keeps the newest), age without a pin or a rule (--stale DAYS), a source
that leads nowhere (--unsourced), a past expiry (--expired), a successor or a
session that is gone (--dangling). They print check, key, other keys, finding,
and a command that corrects it. Run one command at a time: two findings may be
about one memory. mem undo reverts each.`,
		Example: `  mem audit
  mem audit --history --json --jq '.found[].key'
  mem audit --duplicates --expired
  mem audit --stale 180 --prefix /project --json --jq '.found[].fix'`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.history, "history", false, "search everything ever written")
	o.each.Register(cmd)
	cmd.Flags().StringVar(&o.prefix, "prefix", "/", "only keys below this `KEY`")
	o.quality.register(cmd)
	return cmd
}

func (o *auditOptions) run(a *app.App, cmd *cobra.Command) error {
	prefix, err := app.PrefixArg(o.prefix)
	if err != nil {
		return err
	}
	checks, err := o.quality.checks(cmd, prefix)
	if err != nil {
		return err
	}
	// Says if there is no store at all.
	if _, err := a.OpenToRead(cmd); err != nil {
		return err
	}
	if checks.Any() {
		return o.runChecks(a, cmd, checks)
	}
	err = o.each.Run(a, cmd, func(s *mem.Store, title string) error {
		return o.one(a, cmd, s, prefix, title)
	})
	if err != nil && !errors.Is(err, app.ErrNo) || prefix != (keypath.Prefix{}) {
		return err
	}
	return cmp.Or(o.inbox(a, cmd), err)
}

// inbox looks into the inbox, and says nothing where that has no secret.
func (o *auditOptions) inbox(a *app.App, cmd *cobra.Command) error {
	rep, err := audit.InboxSecrets(a.Inbox())
	if err != nil || len(rep.Found) == 0 {
		return err
	}
	return cmp.Or(a.Answer(cmd, audited{"inbox", rep}, secretTable(rep, "")), app.ErrNo)
}

// audited is what --json prints of one store.
type audited struct {
	Layer string `json:"layer,omitempty"`
	audit.SecretReport
}

func (o *auditOptions) one(a *app.App, cmd *cobra.Command, s *mem.Store, prefix keypath.Prefix,
	title string) error {
	rep, err := audit.Secrets(cmd.Context(), s, a.Caller,
		audit.SecretOptions{Prefix: prefix, History: o.history})
	if err != nil {
		return err
	}
	return app.NoIf(len(rep.Found) > 0, a.Answer(cmd, audited{title, rep}, secretTable(rep, title)))
}

func secretTable(rep audit.SecretReport, title string) app.Printer {
	if len(rep.Found) == 0 {
		ok := "ok: " + app.Count(rep.Scanned, "envelope") + ", no secret found"
		return app.Report(app.Titled(title, ok))
	}
	t := app.Table{Head: []string{"KEY", "TIME", "RULE", "PLACE", "CHARACTERS"}}
	for _, f := range rep.Found {
		t.Add(app.Titled(title, keypath.Show(f.Key)), f.TS, f.Rule, app.OneLine(f.Place),
			strconv.Itoa(f.From)+"-"+strconv.Itoa(f.To))
	}
	return t.Write
}
