package daily

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type historyOptions struct {
	since, prefix string
	limit         int
	log           bool // the argument is a prefix, as mem log took it
}

func NewHistoryCmd(a *app.App) *cobra.Command {
	o := &historyOptions{}
	cmd := &cobra.Command{
		Use:   "history [<key>]",
		Short: "print every version of a key, or the newest writes to all keys",
		Long: `Print every write of a key in log and archives, newest first: time, set or
void, source and content. Exit code 1 if the key was never written.

Without a key, list the writes to all keys of both layers, or below --prefix,
newest first: time, key, set or void, source and summary. In a pipe the fields
have tabs between them, and the times are in full. mem diff shows the changes
between two versions.`,
		Example: `  mem history /user/preference/style
  mem history /user/preference/style --json --jq '.memories[1].content'
  mem history --since 7d
  mem history --prefix /project --limit 10`,
		Args:              app.WantArgs(0, 1, "at most one key"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.prefix, "prefix", "/", "without a key: only keys below this `KEY`")
	f.StringVar(&o.since, "since", "",
		"without a key: only writes since this `TIME`: RFC 3339, or 12h, 7d, 2w ago")
	f.IntVar(&o.limit, "limit", defaultWrites,
		"without a key: the greatest number of writes, `N`; 0 prints all")
	f.BoolVar(&o.log, "log", false, "treat the argument as a prefix")
	f.MarkHidden("log")
	return cmd
}

func (o *historyOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	if o.log && len(args) == 1 {
		o.prefix, args = args[0], nil
	}
	if len(args) == 0 {
		return o.runAll(a, cmd)
	}
	if flag := app.FirstChanged(cmd, "since", "limit", "prefix"); flag != "" {
		return app.BadInput("--"+flag, "it cannot be used with a key", "")
	}
	key, s, err := a.OpenKeyToRead(cmd, args[0])
	if err != nil {
		return err
	}
	versions, err := s.History(cmd.Context(), a.Caller, key)
	if err != nil {
		return err
	}
	switch {
	case a.JQ != "":
		return o.filtered(a, cmd, versions)
	case app.Terminal(cmd.OutOrStdout()) > 0 && !a.JSON:
		return o.table(a, cmd, versions)
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	if a.JSON {
		err = mem.WriteVersionList(out, versions)
	} else {
		err = o.lines(out, versions)
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

// lines prints the versions as they come: together they may be larger than memory.
func (o *historyOptions) lines(out *bufio.Writer, versions mem.Versions) error {
	for v, err := range versions.Rows {
		if err != nil {
			return err
		}
		out.WriteString(strings.Join(versionRow(v), "\t"))
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

func versionRow(v log.Record) []string {
	write := verbOf(v.Envelope)
	if v.Layer != "" {
		write = v.Layer + " " + write // which of two layers it was written to
	}
	return []string{v.TS.String(), write, sourceOf(v.Source),
		string(jsontext.AppendVisible(nil, v.Content))}
}

// sourceOf returns a source in words, with the mark of a line for which no person vouches.
func sourceOf(source []byte) string {
	text := mem.SourceSummary(source)
	if origin := content.Claim(source); origin != "" {
		text += ", claimed: " + origin
	}
	return app.OneLine(text)
}

// filtered prints what a filter makes of the whole list.
func (o *historyOptions) filtered(a *app.App, cmd *cobra.Command, versions mem.Versions) error {
	var doc bytes.Buffer
	if err := mem.WriteVersionList(&doc, versions); err != nil {
		return err
	}
	return a.PrintJSON(cmd, bytes.TrimSpace(doc.Bytes()))
}

// table prints the versions for a terminal: its columns are as wide as what stands in them, but a
// line shows only the beginning of a content.
func (o *historyOptions) table(a *app.App, cmd *cobra.Command, versions mem.Versions) error {
	t := app.Table{Head: []string{"TIME", "WRITE", "SOURCE", "CONTENT"}}
	var stamps []log.Stamp
	most := shownBytes * app.Terminal(cmd.OutOrStdout())
	for v, err := range versions.Rows {
		if err != nil {
			return err
		}
		v.Content = v.Content[:min(len(v.Content), most)]
		t.Add(versionRow(v)...)
		if !v.Valid() {
			t.Styled(term.Red)
		}
		stamps = append(stamps, v.TS)
	}
	for i, text := range versionTimes(stamps) {
		t.Rows[i].Fields[0] = text
	}
	return t.Write(a, cmd)
}

// shownBytes is more bytes than a column of the terminal takes, whatever the script.
const shownBytes = 16

func verbOf(e log.Envelope) string {
	if e.Valid() {
		return "set"
	}
	return "void"
}
