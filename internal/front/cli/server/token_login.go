package server

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// readToken reads a token from a terminal without showing it, or from standard input.
func readToken(cmd *cobra.Command, prompt string) (string, error) {
	token, err := readOptional(cmd, prompt)
	if err == nil && token == "" {
		err = errNoToken()
	}
	return token, err
}

func errNoToken() error {
	return app.BadInput("token", "there is none on standard input",
		"a token is one word of letters and digits")
}

// readOptional is readToken where no token is an answer, too: "".
func readOptional(cmd *cobra.Command, prompt string) (string, error) {
	var text []byte
	var err error
	if file, ok := cmd.InOrStdin().(*os.File); ok && app.IsTerminal(cmd) {
		fmt.Fprint(cmd.ErrOrStderr(), prompt)
		text, err = term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(cmd.ErrOrStderr())
	} else {
		text, err = io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxGiven))
	}
	if err != nil {
		return "", fmt.Errorf("standard input: %w: %w", mem.ErrInput, err)
	}
	token := strings.TrimSpace(string(text))
	isOther := func(r rune) bool { return r <= ' ' || r > '~' }
	if strings.ContainsFunc(token, isOther) {
		return "", errNoToken()
	}
	return token, nil
}

func newTokenLoginCmd(a *app.App) *cobra.Command {
	var ca string
	cmd := &cobra.Command{
		Use:   "login <url>",
		Short: "keep an agent's token for a memory behind a server",
		Long: `Read the token of an agent, from the terminal or from standard input, check it at
the server, and keep it for the user of this machine (mode 0600). It is sent to
this scheme, host and port alone. The token of a person is refused: it is asked
for where a command needs one. --ca trusts the certificates of a file, for this
server, in place of those of the system. MEM_TOKEN_FILE names a file with lines
"https://HOST TOKEN", which come first.`,
		Example: `  mem token login https://memd.example/t1
  mem token login https://memd.example/t1 --ca team-ca.pem < token`,
		Args: app.WantArgs(1, 1, "the URL of a memory"),
		RunE: func(cmd *cobra.Command, args []string) error { return login(a, cmd, args[0], ca) },
	}
	cmd.Flags().StringVar(&ca, "ca", "", "the `FILE` with certificates in PEM to trust")
	return cmd
}

func login(a *app.App, cmd *cobra.Command, root, ca string) error {
	if _, err := a.Person(policy.Login); err != nil {
		return err
	}
	at, err := addressOf(root)
	if err != nil {
		return err
	}
	before, err := loginsOf(a).Of(at) // with the certificates of another login
	if err != nil {
		return err
	}
	one := before
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return app.BadInput("--ca", app.Message(err), "")
		}
		one.CA = string(pem)
	}
	if one.Token, err = readToken(cmd, "the token of an agent for "+at.URL()+": "); err != nil {
		return err
	}
	client, err := remote.NewClient(at, one, "", app.SystemClock())
	if err != nil {
		return app.BadInput("--ca "+ca, err.Error(), "")
	}
	who, err := client.Whoami(cmd.Context())
	switch {
	case err != nil:
		return err
	case who.Person:
		return app.BadInput("token", "it is a person's, which is stored nowhere",
			"mem token add "+at.Tenant+" --agent NAME --root DIR makes one for an agent, "+
				"at the server")
	}
	logins := loginsOf(a)
	if err := logins.Put(cmd.Context(), one); err != nil {
		return err
	}
	nameFreed(a, cmd, at, before, one)
	return a.Answer(cmd, who, app.Report("logged in to "+at.URL()+" as "+
		strings.Join(who.Agents, ", ")))
}

// nameFreed names the stores whose team's rules are data from now on, for another login ("": none)
// may lead to another server.
func nameFreed(a *app.App, cmd *cobra.Command, at site.Address, before, now remote.Login) {
	was := serverID(at.URL(), before)
	if before.Token == "" || was == serverID(at.URL(), now) {
		return
	}
	home, _ := os.UserHomeDir()                            // without one nothing is trusted
	paths, _ := site.OpenBook(a.Getenv, home).RuledBy(was) // what cannot be read lets none in
	for _, path := range paths {
		a.Mention(cmd, path+": the rules of its team are data now; "+
			"mem trust --rules in its project lets them in again")
	}
}

func newTokenLogoutCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "logout <url>",
		Short:   "remove the token for a server from this machine",
		Example: `  mem token logout https://memd.example/t1`,
		Args:    app.WantArgs(1, 1, "the URL of a memory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.Person(policy.Bar); err != nil {
				return err
			}
			at, err := addressOf(args[0])
			if err != nil {
				return err
			}
			before, _ := loginsOf(a).Of(at) // an error comes again below
			was, err := loginsOf(a).Remove(cmd.Context(), at)
			err = errors.Join(err, a.Starts().Drop(at.URL(), ""))
			if was {
				nameFreed(a, cmd, at, before, remote.Login{})
			}
			if err == nil && !was {
				err = app.Verdict(mem.KindNo, "there is no token for "+at.URL(), nil)
			}
			if err != nil {
				return err
			}
			return a.Answer(cmd, at, app.Report("logged out of "+at.URL()))
		},
	}
}
