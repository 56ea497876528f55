package server

import (
	"fmt"
	"io"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/spf13/cobra"
)

func newTokenCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "token <action>",
		Long: `Add, list and revoke the tokens of mem serve. A token gives access to one
tenant's memory over the network, as some agents. It is printed once, when it
is created: the root keeps only its SHA-256. A running server refuses a revoked
token at once. Requests over the unix socket need no token. login keeps a token
of yours on this machine, for a memory that a server elsewhere has.`,
		Example: `  mem token add t1 --agent ada --root /srv/mem
  mem token list --root /srv/mem
  mem token revoke tok_01KJ2KH3EG1GW60J423CNHT7PE --root /srv/mem`,
		Args: app.WantArgs(1, -1, "add, list, revoke, login or logout"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.BadInput("token "+args[0], "no such action",
				"there is add, list, revoke, login and logout")
		},
	}
	cmd.AddCommand(newTokenAddCmd(a), newTokenListCmd(a), newTokenRevokeCmd(a),
		newTokenLoginCmd(a), newTokenLogoutCmd(a))
	return cmd
}

// tokensOf returns the tokens of the root that --root names.
func tokensOf(a *app.App, cmd *cobra.Command, open func(string) (*serve.Root, error)) (
	*serve.Tokens, error) {
	root, err := rootOf(a, pgstore.DefaultConns, open)
	if err != nil {
		return nil, err
	}
	o, err := a.Options()
	if err != nil {
		return nil, err
	}
	return serve.NewTokens(root, o.Now, o.LockWait), nil
}

// addedToken answers the making of a token.
type addedToken struct {
	Secret string `json:"token"`
	serve.Token
}

func newTokenAddCmd(a *app.App) *cobra.Command {
	var want serve.Token
	cmd := &cobra.Command{
		Use:   "add <tenant>",
		Short: "create a token for one tenant, and print it once",
		Long: `Create a token for the memory of one tenant and for some agents, and print it.
It cannot be printed again: after a loss, create another one. It belongs to a
member of the team, whose name its writes carry: --member, or the first agent.`,
		Example: `  mem token add t1 --agent ada --member Ada.L --root /srv/mem`,
		Args:    app.WantArgs(1, 1, "one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.Person(policy.Token); err != nil {
				return err
			}
			tokens, err := tokensOf(a, cmd, serve.MakeRoot)
			if err != nil {
				return err
			}
			want.Tenant = args[0]
			token, secret, err := tokens.Add(cmd.Context(), want)
			if err != nil {
				return err
			}
			if a.AsJSON() {
				return a.PrintValue(cmd, addedToken{secret, token})
			}
			if !a.Quiet {
				fmt.Fprintf(cmd.ErrOrStderr(), "mem: %s: the token of %s; it is printed "+
					"this once\n", token.ID, bearer(token, ", "))
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
			return err
		},
	}
	cmd.Flags().BoolVar(&want.Person, "person", false,
		"a token for yourself, with the rights of a person")
	cmd.Flags().StringSliceVar(&want.Agents, "agent", nil,
		"the `ID` of an agent that may use it; several with commas or by repeating")
	cmd.Flags().StringVar(&want.Member, "member", "",
		"the `NAME` of the member of the team that it belongs to (default: the first agent)")
	return cmd
}

type tokenList struct {
	Count  int           `json:"count"`
	Tokens []serve.Token `json:"tokens"`
}

func newTokenListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the tokens by their ids",
		Long: `List the tokens of a root, without their secrets: id, tenant, agents, time of
creation, and the name of the member.`,
		Example: `  mem token list --root /srv/mem`,
		Args:    app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			tokens, err := tokensOf(a, cmd, serve.OpenRoot)
			if err != nil {
				return err
			}
			list, err := tokens.List()
			if err != nil {
				return err
			}
			if a.AsJSON() {
				return a.PrintValue(cmd, tokenList{len(list), list})
			}
			for _, t := range list {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s\t%s\t%s\n", t.ID, t.Tenant,
					bearer(t, ","), t.Created, t.Name())
			}
			return err
		},
	}
}

// bearer names the agents of a token, and a person.
func bearer(t serve.Token, comma string) string {
	names := t.Agents
	if t.Person {
		names = append([]string{"a person"}, names...)
	}
	return strings.Join(names, comma)
}

// maxGiven is more than a token or an id has.
const maxGiven = 1 << 10

func newTokenRevokeCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke <token>",
		Short: "revoke a token",
		Long: `Revoke a token, named by its id or by the token itself. "-" reads it from
standard input, so that it appears in no shell history. Exit code 1 if there is no such token.`,
		Example: `  mem token revoke tok_01KJ2KH3EG1GW60J423CNHT7PE --root /srv/mem`,
		Args:    app.WantArgs(1, 1, "an id, a token, or -"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.Person(policy.Bar); err != nil {
				return err
			}
			tokens, err := tokensOf(a, cmd, serve.OpenRoot)
			if err != nil {
				return err
			}
			name := args[0]
			if name == "-" {
				text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxGiven))
				if err != nil {
					return fmt.Errorf("standard input: %w: %w", mem.ErrInput, err)
				}
				name = strings.TrimSpace(string(text))
			}
			token, err := tokens.Revoke(cmd.Context(), name)
			if err != nil {
				return err
			}
			if a.AsJSON() {
				return a.PrintValue(cmd, token)
			}
			if a.Quiet {
				return nil
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "revoked %s of %s\n", token.ID, token.Tenant)
			return err
		},
	}
}
