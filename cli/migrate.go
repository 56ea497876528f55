package cli

import (
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/session"
	"github.com/spf13/cobra"
)

type migrateOptions struct{ dryRun bool }

func newMigrateCmd(a *app) *cobra.Command {
	o := &migrateOptions{}
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "bring the records of sessions up to this version",
		Long: fmt.Sprintf(`Bring every record of a session that is of an older version up to version %d. The first
write to a session does the same for that one. What a record says, its time and its source stay;
records of a newer version are left alone.`, session.Version),
		Example: `  mem migrate --dry-run
  mem migrate`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only say what there is to do")
	return cmd
}

// migration is what --json prints.
type migration struct {
	Sessions []session.Migrated `json:"sessions"`
	DryRun   bool               `json:"dry_run"`
}

func (o *migrateOptions) run(a *app, cmd *cobra.Command) error {
	ans := migration{[]session.Migrated{}, o.dryRun}
	err := (&storesFlag{}).run(a, cmd, func(s *mem.Store, _ string) error {
		list, err := session.Migrate(cmd.Context(), s, caller, o.dryRun)
		ans.Sessions = append(ans.Sessions, list...)
		return err
	})
	switch {
	case err != nil:
		return err
	case a.asJSON():
		return a.printValue(cmd, ans)
	case a.quiet:
		return nil
	}
	t := table{head: []string{"SESSION", "RECORDS"}}
	for _, one := range ans.Sessions {
		t.add(one.Session, fmt.Sprint(one.Records))
		if one.Refused > 0 {
			a.tell(cmd, "warning", fmt.Sprintf("%s: %d stay as they are, for a write of them is "+
				"refused: of a secret, or without provenance", one.Session, one.Refused))
		}
	}
	return t.write(cmd, a)
}
