package records

import (
	"bytes"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// registerScope registers the flags for the origin of a record, and for its channels.
func registerScope(cmd *cobra.Command, s *ledger.Scope) {
	f := cmd.Flags()
	f.StringVar(&s.Session, "session", "", "the `ID` of its session")
	f.StringVar(&s.Agent, "agent", "", "the `ID` of its agent")
	f.StringVar(&s.Channel, "channel", "",
		"the `CHANNEL` that may read it: private, team, agent or public")
	f.StringVar(&s.Sensitivity, "sensitivity", "", "`LEVEL` none, low, or high, which is sealed")
	f.StringArrayVar(&s.Refs, "ref", nil,
		"evidence: the `ID` of an event, a chunk or an artifact, or a key; repeatable")
}

// registerRecord is registerScope for a record that may hold what seems to be a secret.
func registerRecord(cmd *cobra.Command, s *ledger.Scope) {
	registerScope(cmd, s)
	cmd.Flags().StringArrayVar(&s.AllowSecrets, "allow-secret", nil, app.AllowSecretUsage)
}

// openBook opens what a verb of the context bundle writes to, by a key, and reads.
func openBook(a *app.App, cmd *cobra.Command, space string) (*ledger.Book, error) {
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	key, err := keypath.Parse(space)
	if err != nil {
		return nil, err
	}
	s, _, err := app.OpenFor(l, key)
	if err != nil {
		return nil, err
	}
	return bookOf(a, l, s)
}

// openBookHolding is openBook for what changes a record that is there, if it is.
func openBookHolding(a *app.App, cmd *cobra.Command, key string) (*ledger.Book, error) {
	l, err := a.Open(cmd)
	if err != nil {
		return nil, err
	}
	at, err := keypath.Parse(key)
	if err != nil {
		return nil, err
	}
	site, err := a.Holding(cmd, l, at)
	if err != nil {
		return nil, err
	}
	s, err := l.Open(site)
	if err != nil {
		return nil, err
	}
	return bookOf(a, l, s)
}

func bookOf(a *app.App, l *layers.Layers, s *mem.Store) (*ledger.Book, error) {
	reads, err := l.Reading()
	if err != nil {
		return nil, err
	}
	admits, err := l.Admitted()
	if err != nil {
		return nil, err
	}
	keys, err := a.Keys(l)
	return ledger.New(s, a.Caller, ledger.Options{Reads: reads, Admits: admits, Keys: keys,
		Project: l.Sites.ProjectMark()}), err
}

// longText resolves an argument that is plain text: "-" is standard input, "@file" a file, without
// the newlines at its end.
func longText(a *app.App, cmd *cobra.Command, what, arg string, limit int) (string, error) {
	text, err := a.JSONArg(cmd, what, arg, limit)
	if arg == "-" || strings.HasPrefix(arg, "@") {
		text = bytes.TrimRight(text, "\r\n")
	}
	return string(text), err
}

func printStored(a *app.App, cmd *cobra.Command, reply any, id string, err error) error {
	if err != nil {
		return err
	}
	return a.Answer(cmd, reply, app.Line(id))
}
