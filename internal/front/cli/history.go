package cli

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type historyOptions struct{}

func newHistoryCmd(a *app) *cobra.Command {
	o := &historyOptions{}
	return &cobra.Command{
		Use:   "history <key>",
		Short: "print every version of a key, newest first",
		Long: `Print every write of a key that log and archives hold, newest first: its time,
set or void, where it came from, and the content. Exit code 1 if the key was never written.`,
		Example: `  mem history /user/preference/style
  mem history /user/preference/style --json --jq '.memories[1].content'`,
		Args:              wantArgs(1, 1, "one key"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
}

func (o *historyOptions) run(a *app, cmd *cobra.Command, arg string) error {
	key, s, err := openKeyToRead(a, cmd, arg)
	if err != nil {
		return err
	}
	versions, err := s.History(cmd.Context(), caller, key)
	if err != nil {
		return err
	}
	switch {
	case a.jq != "":
		return o.filtered(a, cmd, versions)
	case terminal(cmd.OutOrStdout()) > 0 && !a.json:
		return o.table(a, cmd, versions)
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	if a.json {
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
	return []string{v.TS.String(), write, oneLine(mem.SourceSummary(v.Source)),
		string(jsontext.AppendVisible(nil, v.Content))}
}

// filtered prints what a filter makes of the whole list.
func (o *historyOptions) filtered(a *app, cmd *cobra.Command, versions mem.Versions) error {
	var doc bytes.Buffer
	if err := mem.WriteVersionList(&doc, versions); err != nil {
		return err
	}
	return a.printJSON(cmd, bytes.TrimSpace(doc.Bytes()))
}

// table prints the versions for a terminal: its columns are as wide as what stands in them, but a
// line shows only the beginning of a content.
func (o *historyOptions) table(a *app, cmd *cobra.Command, versions mem.Versions) error {
	t := table{head: []string{"TIME", "WRITE", "SOURCE", "CONTENT"}}
	var stamps []log.Stamp
	most := shownBytes * terminal(cmd.OutOrStdout())
	for v, err := range versions.Rows {
		if err != nil {
			return err
		}
		v.Content = v.Content[:min(len(v.Content), most)]
		t.add(versionRow(v)...)
		if !v.Valid() {
			t.styled(term.Red)
		}
		stamps = append(stamps, v.TS)
	}
	for i, text := range versionTimes(stamps) {
		t.rows[i].Fields[0] = text
	}
	return t.write(cmd, a)
}

// shownBytes is more bytes than a column of the terminal takes, whatever the script.
const shownBytes = 16

func verbOf(e log.Envelope) string {
	if e.Valid() {
		return "set"
	}
	return "void"
}
