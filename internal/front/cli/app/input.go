package app

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// JSONArg resolves an argument of the form AtFile that takes JSON. Shells that break inline JSON
// (PowerShell, cmd) can so give any text. At most limit bytes are taken from a file.
func (a *App) JSONArg(cmd *cobra.Command, what, arg string, limit int) ([]byte, error) {
	if arg == "@" {
		return nil, BadInput(what, "no file name after @", "")
	}
	in, err := a.Given(cmd, AtFile, arg)
	switch {
	case err != nil:
		return nil, BadInput(what, Message(err), "")
	case in == nil:
		return []byte(arg), nil
	}
	defer in.Close()
	return ReadText(in, what, limit)
}

// byteOrderMark is what some programs write at the beginning of a text. It is not part of it.
const byteOrderMark = "\ufeff"

// ReadText reads a text of at most limit bytes. Of a longer one no more is read than shows that it
// is longer: it may have no end.
func ReadText(in io.Reader, what string, limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(limit+len(byteOrderMark)+1)))
	if err != nil {
		return nil, BadInput(what, Message(err), "")
	}
	if text, err = plainText(what, text); err == nil && len(text) > limit {
		err = fmt.Errorf("%s: %w: at most %d bytes", what, policy.ErrTooLarge, limit)
	}
	return text, err
}

// plainText removes a byte order mark, and refuses UTF-16, which PowerShell writes.
func plainText(what string, text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		return nil, BadInput(what, "the text is UTF-16",
			"write it as UTF-8, in PowerShell with -Encoding utf8")
	}
	return bytes.TrimPrefix(text, []byte(byteOrderMark)), nil
}

// BatchInput looks at the first bytes of a batch as plainText does.
func BatchInput(in io.Reader) (io.Reader, error) {
	r := bufio.NewReaderSize(in, 1<<16)
	// A read error is returned to the reader of the lines.
	first, _ := r.Peek(2)
	_, err := plainText("standard input", first)
	return r, err
}

// SourceFlags are the flags for the source of a write: whole, or in parts.
type SourceFlags struct {
	Source, kind, name, url, locator, retrievedAt string
}

func (s *SourceFlags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.Source, "source", "s", "",
		"the origin of the content: a JSON object, a plain `TEXT`, or @file")
	f.StringVar(&s.kind, "kind", "", "source `KIND`: user, tool, web, file, system or agent")
	f.StringVar(&s.name, "name", "", "source `NAME`: of the tool, site, file or conversation")
	f.StringVar(&s.url, "url", "", "source `URL`, as the locator")
	f.StringVar(&s.locator, "locator", "",
		"source locator: a `JSON` object, @file or text that leads back to the source")
	f.StringVar(&s.retrievedAt, "retrieved-at", "",
		"`TIME` at which the source was read (default: now)")
	GivenFlags(cmd, AtFile, "source", "locator")
}

// Build returns the source as JSON; nil if no flag was given.
func (s *SourceFlags) Build(a *App, cmd *cobra.Command, now log.Stamp) ([]byte, error) {
	if pieces := *s; pieces.Source != "" {
		if pieces.Source = ""; pieces != (SourceFlags{}) {
			return nil, BadInput("--source", "give the source whole, or in pieces, not both", "")
		}
		return s.whole(a, cmd)
	}
	if *s == (SourceFlags{}) {
		if f := cmd.Flags().Lookup("source"); f != nil && f.Changed {
			return []byte(`""`), nil
		}
		return nil, nil
	}
	return s.pieces(a, cmd, now)
}

func (s *SourceFlags) whole(a *App, cmd *cobra.Command) ([]byte, error) {
	text, err := a.JSONArg(cmd, "--source", s.Source, policy.MaxSource)
	if err != nil {
		return nil, err
	}
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '"' || trimmed[0] == '[') {
		return trimmed, nil
	}
	return jsontext.AppendString(nil, string(text)), nil
}

func (s *SourceFlags) pieces(a *App, cmd *cobra.Command, now log.Stamp) ([]byte, error) {
	if s.retrievedAt != "" {
		if _, err := log.ParseTime(s.retrievedAt); err != nil {
			return nil, BadInput("--retrieved-at", err.Error(), "")
		}
	}
	if s.url != "" && s.locator != "" {
		return nil, BadInput("--locator", "give --url or --locator, not both", "")
	}
	var o jsontext.Object
	o.TextUnlessEmpty("kind", s.kind)
	o.TextUnlessEmpty("name", s.name)
	o.Text("retrieved_at", cmp.Or(strings.TrimSpace(s.retrievedAt), now.String()))
	locator, err := s.locate(a, cmd)
	if err != nil {
		return nil, err
	}
	if locator != nil {
		o.Raw("locator", locator)
	}
	return o.Bytes(), nil
}

// locate returns the locator as JSON; nil if none was given.
func (s *SourceFlags) locate(a *App, cmd *cobra.Command) ([]byte, error) {
	if s.url != "" {
		var o jsontext.Object
		o.Text("url", s.url)
		return o.Bytes(), nil
	}
	if s.locator == "" {
		return nil, nil
	}
	text, err := a.JSONArg(cmd, "--locator", s.locator, policy.MaxSource)
	if err != nil {
		return nil, err
	}
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' {
		return jsontext.AppendString(nil, string(text)), nil
	}
	if _, err := jsontext.Compact(nil, text); err != nil {
		return nil, BadInput("--locator", err.Error(), "")
	}
	return text, nil
}

// UntrustedFlag is the action for a write that lacks provenance.
type UntrustedFlag string

func (u *UntrustedFlag) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(u), "on-untrusted", "refuse",
		"the `ACTION` on a write without provenance: refuse or quarantine")
}

func (u UntrustedFlag) Check() error {
	if u != "refuse" && u != "quarantine" {
		return BadInput("--on-untrusted "+string(u), "want refuse or quarantine", "")
	}
	return nil
}

// Quarantines reports whether such a write is to be stored under /untrusted.
func (u UntrustedFlag) Quarantines() bool { return u == "quarantine" }

// FirstChanged returns the first of some flags that was given; "" for none.
func FirstChanged(cmd *cobra.Command, names ...string) string {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// neverEmpty are the flags whose value may not be empty, of every verb: an empty value comes from a
// variable that is not set, and would be as if the flag were not there.
var neverEmpty = []string{
	"actor", "agent", "at", "channel", "client", "config", "expires", "from", "grep", "id",
	"if-ts", "importance", "into", "layer", "now", "reason", "references", "retrieved-at",
	"role", "root", "sensitivity", "session", "since", "status", "to", "ttl", "until", "user",
}

// MayBeEmpty annotates a flag of such a name for which the verb has an answer of its own.
const MayBeEmpty = "may-be-empty"

// CheckEmpty refuses these flags without a value.
func CheckEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		isFree := f.Annotations[MayBeEmpty] != nil || !slices.Contains(neverEmpty, f.Name)
		if !isFree && strings.TrimSpace(f.Value.String()) == "" {
			err = cmp.Or(err, EmptyFlag(f.Name))
		}
	})
	return err
}

func EmptyFlag(name string) error {
	return BadInput("--"+name, "it is empty", "is the variable in it set?")
}

// ListFlag is SplitList for a flag, which is an error where it was given and names nothing.
func ListFlag(name string, lists []string) ([]string, error) {
	list := SplitList(lists)
	if len(list) == 0 && len(lists) > 0 {
		return nil, EmptyFlag(name)
	}
	return list, nil
}

// SplitList splits lists at their commas. A tag may hold a quote.
func SplitList(lists []string) (out []string) {
	for _, list := range lists {
		for text := range strings.SplitSeq(list, ",") {
			if text = strings.TrimSpace(text); text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

// WantArgs refuses a wrong number of arguments in words.
func WantArgs(least, most int, form string) cobra.PositionalArgs {
	return WantArgsElse(least, most, form, nil)
}

// WantArgsElse is WantArgs with other advice than the help of the verb; nil for that.
func WantArgsElse(least, most int, form string, do advice.List) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		why := fmt.Sprintf("want %s, got %d arguments", form, len(args))
		if len(args) == 1 {
			why = fmt.Sprintf("want %s, got 1 argument", form)
		}
		do := do
		if len(args) < least || do == nil {
			do = HelpOf(cmd, " shows how")
		}
		return fault.Input(Named(cmd), why, do)
	}
}

// Named returns the name of a verb with those that it stands below, like session delete.
func Named(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// AsFlag returns an error for a member of a request as one for the flag that sets it.
func AsFlag(err error) error {
	var bad *request.Error
	if !errors.As(err, &bad) {
		return err
	}
	what := "--" + strings.ReplaceAll(bad.Member, "_", "-")
	if bad.Value != "" {
		what += " " + bad.Value
	}
	return BadInput(what, bad.Why, "")
}

// TextArg resolves an argument of the form Dash, of at most limit bytes from standard input,
// without the newlines at its end. A text may well begin with an @.
func TextArg(cmd *cobra.Command, what, arg string, limit int) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	text, err := ReadText(cmd.InOrStdin(), what, limit)
	return strings.TrimRight(string(text), "\r\n"), err
}

// RegisterForce registers the flag of a verb that may write where only other verbs do.
func RegisterForce(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false,
		"also write keys that only other verbs write, as of sessions and journals")
}

const AllowSecretUsage = "store a text that this `RULE` takes for a secret; repeatable"

const AgentUsage = "`AGENT` whose journal and core the verb uses (default: $MEM_AGENT)"

// RegisterAgent registers the flag that names an agent.
func RegisterAgent(cmd *cobra.Command, agent *string, text string) {
	cmd.Flags().StringVar(agent, "agent", "", text)
}
