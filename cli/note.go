package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/hook"
	"github.com/set-memory/mem/layer"
	"github.com/set-memory/mem/note"
	"github.com/set-memory/mem/policy"
	"github.com/spf13/cobra"
)

type noteOptions struct {
	source sourceFlags
	tags   []string
	scope  string

	allowSecret []string
}

func newNoteCmd(a *app) *cobra.Command {
	o := &noteOptions{}
	cmd := &cobra.Command{
		Use:   "note <text>",
		Short: "note a fact down under an id of its own",
		Long: `Store a text of 1 to 500 characters and print its id. "-" reads the text from
standard input. No id is ever given twice. Past 500 notes (max_total in config.json) the oldest
make room. A note is not changed: forget it and make a new one. What looks like a secret is not
stored: {"ok":false,"error":"..."}, exit code 3.`,
		Example: `  mem note 'User prefers tabs over spaces' --tag preference --scope user
  mem note 'The database is PostgreSQL 16 on port 5432' --tag infra
  git log -1 --format=%s | mem note -`,
		Args: wantArgs(1, 1, "one text (quote it for the shell)"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	o.source.register(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.tags, "tag", nil, "a `TAG`, at most 5; several with commas or by repeating")
	f.StringArrayVar(&o.allowSecret, "allow-secret", nil, allowSecretUsage)
	f.StringVar(&o.scope, "scope", note.DefaultScope, "`SCOPE` user, workspace or session")
	return cmd
}

func (o *noteOptions) run(a *app, cmd *cobra.Command, arg string) error {
	text, err := textArg(cmd, "text", arg, maxNoteInput)
	if errors.Is(err, policy.ErrTooLarge) {
		err = fmt.Errorf("text: %w: more than %d bytes, at most %d characters",
			policy.ErrTooLarge, maxNoteInput, policy.MaxNote)
	}
	if err != nil {
		return err
	}
	if o.source.source == "-" && arg == "-" {
		return &usage{
			what: "--source -", why: "standard input holds the text already",
			hint: "give the source as text, or with @file",
		}
	}
	if a.layer == layer.User && !cmd.Flags().Changed("scope") {
		o.scope = "user" // in the user's store one of a project would be of none
	}
	l, source, err := a.openSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	space, err := note.Space(o.scope)
	if err != nil {
		return err
	}
	s, site, err := openFor(l, space)
	if err != nil {
		return err
	}
	id, err := note.Add(cmd.Context(), s, caller, text, note.Options{
		Tags: splitList(o.tags), Scope: o.scope, Source: source, AllowSecrets: o.allowSecret,
		IDs: NoteIDs(site),
	})
	if errors.Is(err, policy.ErrSecret) {
		// The reason is on standard error, and decides the exit code whether this can be printed or
		// not.
		_ = a.printReply(cmd, mem.NoteReply{Error: policy.NoteRefusal})
	}
	if err != nil {
		return err
	}
	if client, session := hook.Caller(a.getenv); o.scope == "session" && session == "" &&
		site.Layer != "" && talks(a) {
		a.tell(cmd, "warning", "no conversation is known here, so hooks tell this note to none"+
			within(client))
	}
	return a.printReply(cmd, mem.NoteReply{OK: true, ID: id, Layer: layerName(l, site)})
}

// maxNoteInput is how much of standard input is read for a note: enough to count the characters of
// one that is a page too long.
const maxNoteInput = 64 << 10

// textArg resolves an argument that is plain text: "-" is standard input, of at most limit bytes,
// without the newlines at its end. A text may well begin with an @.
func textArg(cmd *cobra.Command, what, arg string, limit int) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	text, err := readText(cmd.InOrStdin(), what, limit)
	return strings.TrimRight(string(text), "\r\n"), err
}

// printReply prints the answer to a write, always as JSON, unless --quiet is given.
func (a *app) printReply(cmd *cobra.Command, reply mem.NoteReply) error {
	if a.quiet && !a.asJSON() {
		return nil
	}
	return a.printValue(cmd, reply)
}

// within says which client it is that names no conversation.
func within(client string) string {
	if client == "" {
		return ""
	}
	return ": " + client + " does not name its own"
}
