package cli

import (
	"fmt"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type auditOptions struct {
	history bool
	prefix  string
}

func newAuditCmd(a *app) *cobra.Command {
	o := &auditOptions{}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "look for secrets in what is stored",
		Long: `Look for tokens, keys and passwords in every live memory, its key and its source,
and print the key, the rule, the place and the characters of each, never the secret itself. With
--history, in everything ever written. Exit code 1 if something was found.

A secret that was stored must be replaced where it is used: the log keeps what was deleted.`,
		Example: "  mem audit\n  mem audit --history --json --jq '.found[].key'",
		Args:    wantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.history, "history", false, "in everything ever written")
	cmd.Flags().StringVar(&o.prefix, "prefix", "/", "only keys below this `KEY`")
	return cmd
}

func (o *auditOptions) run(a *app, cmd *cobra.Command) error {
	prefix, err := prefixArg(o.prefix)
	if err != nil {
		return err
	}
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	rep, err := mem.Audit(cmd.Context(), s, caller,
		mem.AuditOptions{Prefix: prefix, History: o.history})
	if err != nil {
		return err
	}
	if a.asJSON() {
		err = a.printValue(cmd, rep)
	} else {
		err = o.print(a, cmd, rep)
	}
	if err == nil && len(rep.Found) > 0 {
		return errNo
	}
	return err
}

func (o *auditOptions) print(a *app, cmd *cobra.Command, rep mem.AuditReport) error {
	if len(rep.Found) == 0 {
		if a.quiet {
			return nil
		}
		scanned := count(rep.Scanned, "envelope")
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "ok: %s, no secret found\n", scanned)
		return err
	}
	t := table{head: []string{"KEY", "TIME", "RULE", "PLACE", "CHARACTERS"}}
	for _, f := range rep.Found {
		t.add(keypath.Show(f.Key), f.TS, f.Rule, oneLine(f.Place),
			strconv.Itoa(f.From)+"-"+strconv.Itoa(f.To))
	}
	return t.write(cmd, a)
}
