package server

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/spf13/cobra"
)

func newSpaceCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "space <action>",
		Long: `Create and list spaces. A space is one memory in a PostgreSQL database: that of
a team, or of a tenant of mem serve. mem migrate creates the tables. --root
names the database, with a role that may create roles.`,
		Example: `  mem migrate --root postgres://postgres@db.example/mem
  mem space add team --root postgres://postgres@db.example/mem
  mem ls --root 'postgres://mem_team_5c1f0a@db.example/mem?space=team'`,
		Args: app.WantArgs(1, -1, "add or ls"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.BadInput("space "+args[0], "no such action", "there is add and ls")
		},
	}
	cmd.AddCommand(newSpaceAddCmd(a), newSpaceListCmd(a))
	return cmd
}

// spaceAdded answers space add.
type spaceAdded struct {
	Space    string `json:"space"`
	Made     bool   `json:"made"` // false: it was there
	Role     string `json:"role,omitempty"`
	URL      string `json:"url"`
	Password string `json:"password,omitempty"`
	PassLine string `json:"pgpass,omitempty"`
}

type spaceAddOptions struct {
	role   string
	noRole bool
}

func newSpaceAddCmd(a *app.App) *cobra.Command {
	o := &spaceAddOptions{}
	cmd := &cobra.Command{
		Use:   "add <name>",
		Short: "create a space, with a login role that sees only this space",
		Long: `Create a space and its login role, which sees only this space: mem_NAME_ with
six digits, which no other database of the server has. --role gives the role
another name, or names an existing role, which keeps its password; --no-role
leaves the space to the owner of the tables. Standard output gets the URL,
standard error the line for ~/.pgpass with the password, which is printed only
this once.`,
		Example: `  mem space add team --root postgres://postgres@db.example/mem
  mem space add team --root postgres://postgres@db.example/mem --json --jq .pgpass >> ~/.pgpass`,
		Args: app.WantArgs(1, 1, "one name"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	cmd.Flags().StringVar(&o.role, "role", "",
		"the `NAME` of the login role (default: mem_NAME_HEX)")
	cmd.Flags().BoolVar(&o.noRole, "no-role", false, "create no role")
	return cmd
}

func (o *spaceAddOptions) run(a *app.App, cmd *cobra.Command, name string) error {
	root, err := databaseOf(a, cmd)
	if err != nil {
		return err
	}
	place, err := pgstore.ParseURL(root)
	if err != nil {
		return err
	}
	login := &pgstore.Login{Role: o.role, Password: pgstore.NewPassword()}
	if o.noRole {
		login = nil
	}
	made, err := pgstore.AddSpace(cmd.Context(), root, name, login)
	if err != nil {
		return err
	}
	if o.role != "" && o.role != made.Role {
		return app.BadInput("space",
			name+" exists, and its role is "+cmp.Or(made.Role, "the owner's"),
			"leave --role out, or give the space another name")
	}
	other := place.As(made.Role, name)
	ans := spaceAdded{Space: name, Made: made.Space, Role: made.Role, URL: other.String()}
	if made.NewRole {
		ans.Password, ans.PassLine = login.Password, other.PassLine(login.Password)
	}
	return ans.print(a, cmd)
}

func (ans spaceAdded) print(a *app.App, cmd *cobra.Command) error {
	if a.AsJSON() {
		return a.PrintValue(cmd, ans)
	}
	if !a.Quiet {
		say := "mem: " + ans.Space + ": it exists already\n"
		if ans.Made {
			say = "mem: " + ans.Space + ": made\n"
		}
		switch {
		case ans.PassLine != "":
			say += "mem: for ~/.pgpass, printed only this once: " + ans.PassLine + "\n"
		case ans.Made && ans.Role != "":
			say += "mem: " + ans.Role + ": the role was there and keeps its password\n"
		}
		fmt.Fprint(cmd.ErrOrStderr(), say)
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), ans.URL)
	return err
}

func newSpaceListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "list the spaces of a database",
		Long: `List the spaces that the role of --root sees: name, role, number of envelopes
ever written, number of purges.`,
		Example: `  mem space ls --root postgres://postgres@db.example/mem`,
		Args:    app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := databaseOf(a, cmd)
			if err != nil {
				return err
			}
			list, err := pgstore.Spaces(cmd.Context(), root)
			if err != nil {
				return err
			}
			if a.AsJSON() {
				return a.PrintValue(cmd, spaceList{len(list), list})
			}
			for _, s := range list {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%d\t%d\n", s.Name, s.Role, s.Seq,
					s.Gen)
			}
			return err
		},
	}
}

// spaceList answers space ls.
type spaceList struct {
	Count  int             `json:"count"`
	Spaces []pgstore.Space `json:"spaces"`
}

// databaseOf returns the URL of the database that --root or MEM_ROOT names, without a space.
func databaseOf(a *app.App, cmd *cobra.Command) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	root := a.ServerRoot()
	if root == "" {
		return "", app.BadInput("root", "which database?",
			"--root postgres://HOST/DATABASE names it")
	}
	u, err := url.Parse(root)
	if err != nil {
		return root, nil // ParseURL names the mistake
	}
	query := u.Query()
	query.Del("space")
	u.RawQuery = query.Encode()
	return u.String(), nil
}
