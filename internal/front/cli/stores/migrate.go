package stores

import (
	"fmt"
	"net/url"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/spf13/cobra"
)

type migrateOptions struct{ dryRun bool }

func NewMigrateCmd(a *app.App) *cobra.Command {
	o := &migrateOptions{}
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "migrate sessions, and the tables of a server, to this version",
		Long: fmt.Sprintf(`Migrate session records of older versions to version %d. The first
write to a session does the same for that session. Content, time and source of
a record stay; records of a newer version are left alone.

For a store on a server the verb first creates its tables or migrates them; a
URL without a space migrates only the tables. --dry-run prints their SQL.`, session.Version),
		Example: `  mem migrate --dry-run
  mem migrate
  mem migrate --root postgres://postgres@db.example/mem`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only print the work that is left")
	return cmd
}

// migration is what --json prints.
type migration struct {
	Sessions []session.Migrated `json:"sessions"`
	Schema   []app.SchemaStep   `json:"schema,omitempty"`
	DryRun   bool               `json:"dry_run"`
}

func (o *migrateOptions) run(a *app.App, cmd *cobra.Command) error {
	ans := migration{Sessions: []session.Migrated{}, DryRun: o.dryRun}
	done, err := o.schema(a, cmd, &ans)
	if err != nil || done {
		return err
	}
	err = (&app.StoresFlag{}).Run(a, cmd, func(s *mem.Store, _ string) error {
		list, err := session.Migrate(cmd.Context(), s, a.Caller, o.dryRun)
		ans.Sessions = append(ans.Sessions, list...)
		return err
	})
	if err != nil {
		return err
	}
	return a.Answer(cmd, ans, app.UnlessQuiet(ans.print))
}

func (ans *migration) print(a *app.App, cmd *cobra.Command) error {
	t := app.Table{Head: []string{"SESSION", "RECORDS"}}
	for _, one := range ans.Sessions {
		t.Add(one.Session, fmt.Sprint(one.Records))
		if one.Refused > 0 {
			a.Tell(cmd, "warning", fmt.Sprintf("%s: %d stay unchanged, because their write is "+
				"refused: a secret, or no provenance", one.Session, one.Refused))
		}
	}
	return t.Write(a, cmd)
}

// schema migrates the tables of a store on a server. done is whether that is all there is to do.
func (o *migrateOptions) schema(a *app.App, cmd *cobra.Command, ans *migration) (
	done bool, err error) {
	root := a.ServerRoot()
	if root == "" {
		return false, nil
	}
	if ans.Schema, err = a.Build.Migrate(cmd.Context(), root, o.dryRun); err != nil {
		return true, err
	}
	if !a.AsJSON() && !a.Quiet {
		if err := o.printSchema(a, cmd, ans.Schema); err != nil {
			return true, err
		}
	}
	if hasSpace(root) && (!o.dryRun || len(ans.Schema) == 0) {
		return false, nil
	}
	return true, a.Answer(cmd, ans, app.Nothing)
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

// hasSpace reports whether a URL names a memory, and not a database alone.
func hasSpace(root string) bool {
	u, err := url.Parse(root)
	return err == nil && u.Query().Get("space") != ""
}
