package stores

import (
	"fmt"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
)

type migrateOptions struct{ dryRun bool }

func NewMigrateCmd(a *app.App) *cobra.Command {
	o := &migrateOptions{}
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "create or migrate the tables of a server",
		Long: `Create the tables of a store on PostgreSQL, or migrate them to this version. A
URL needs no space. --dry-run prints their SQL. Files need no migration.`,
		Example: `  mem migrate --dry-run --root postgres://postgres@db.example/mem
  mem migrate --root postgres://postgres@db.example/mem`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only print the work that is left")
	return cmd
}

// migration is what --json prints.
type migration struct {
	Schema []app.SchemaStep `json:"schema,omitempty"`
	DryRun bool             `json:"dry_run"`
}

func (o *migrateOptions) run(a *app.App, cmd *cobra.Command) (err error) {
	ans := migration{DryRun: o.dryRun}
	root := a.ServerRoot()
	if root == "" {
		return a.Answer(cmd, ans, app.UnlessQuiet(app.Report("files need no migration")))
	}
	if ans.Schema, err = a.Build.Migrate(cmd.Context(), root, o.dryRun); err != nil {
		return err
	}
	if !a.AsJSON() && !a.Quiet {
		if err := o.printSchema(a, cmd, ans.Schema); err != nil {
			return err
		}
	}
	return a.Answer(cmd, ans, app.Nothing)
}

// printSchema names the steps that were taken; of those that would be it prints the SQL.
func (o *migrateOptions) printSchema(a *app.App, cmd *cobra.Command, list []app.SchemaStep) error {
	for _, s := range list {
		if !o.dryRun {
			a.Say(cmd, "migrated the tables: "+s.Name)
			continue
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "-- %s\n%s\n", s.Name, s.SQL); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		a.Say(cmd, "the tables have this version")
	}
	return nil
}
