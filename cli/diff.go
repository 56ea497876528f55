package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/set-memory/mem/changes"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type diffOptions struct{}

func newDiffCmd(a *app) *cobra.Command {
	o := &diffOptions{}
	return &cobra.Command{
		Use:   "diff <key> [<ts>] [<ts>]",
		Short: "show what changed between two versions of a key",
		Long: `Show what changed in a memory, line by line of its indented JSON, as diff -u does: from
the version before the newest, or from that of the first TS to that of the second, or to the newest.
mem history prints the times. Exit code 0 also where there is no difference; 1 if there are no two
versions. --json prints {"key","from":{"ts","content"},"to":{"ts","content"}}.`,
		Example: `  mem diff /project/db
  mem diff /project/db 2026-02-22T10:00:00.000000Z
  mem diff /project/db --json --jq '.from.content.text, .to.content.text'`,
		Args:              wantArgs(1, 3, "one key and at most two times"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
}

func (o *diffOptions) run(a *app, cmd *cobra.Command, args []string) error {
	var at []log.Stamp
	for _, text := range args[1:] {
		ts, err := log.ParseTime(text)
		if err != nil {
			return &usage{what: "diff", why: err.Error()}
		}
		at = append(at, ts)
	}
	if _, err := openToRead(a, cmd); err != nil {
		return err
	}
	h, err := findEver(cmd, a.layers, args[0])
	if err != nil {
		return err
	}
	pair, err := changes.Between(cmd.Context(), h.store, caller, h.key, at...)
	if err != nil {
		return diffError(err)
	}
	if a.asJSON() {
		return a.printValue(cmd, pair)
	}
	sayLayer(a, cmd, a.layers, "from", layerName(a.layers, h.site))
	return o.print(a, cmd, pair)
}

func diffError(err error) error {
	var fault *changes.Error
	if !errors.As(err, &fault) {
		return err
	}
	key := shellWord(fault.Key.String())
	if errors.Is(err, changes.ErrOne) {
		return &hinted{err, "mem history " + key + " prints the one it has"}
	}
	return &hinted{err, "mem history " + key + " lists its versions"}
}

func (o *diffOptions) print(a *app, cmd *cobra.Command, p changes.Pair) error {
	name := func(v changes.Version) string { return p.Key.Shown() + "\t" + v.TS.String() }
	out := diff.Diff(name(p.From), diffText(p.From), name(p.To), diffText(p.To))
	// The first line names the command, for which diff -u has no line.
	_, text, _ := bytes.Cut(out, []byte("\n"))
	if len(text) == 0 {
		if talks(a) {
			say(a, cmd, "no difference")
		}
		return nil
	}
	shown := string(text)
	if terminal(cmd.OutOrStdout()) > 0 && a.colour() {
		shown = coloured(shown)
	}
	_, err := io.WriteString(cmd.OutOrStdout(), shown)
	return err
}

// diffText returns the lines of a version; none where it is a deletion.
func diffText(v changes.Version) []byte {
	if string(v.Content) == "null" {
		return nil
	}
	return append(indented(v.Content), '\n')
}

// coloured returns a diff with what is gone in red and what is new in green. No line of JSON has
// an escape of its own.
func coloured(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		colour := map[byte]string{'-': "\x1b[31m", '+': "\x1b[32m", '@': "\x1b[36m"}[line[0]]
		if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++") {
			colour = "\x1b[1m"
		}
		if colour == "" {
			out.WriteString(line)
			continue
		}
		out.WriteString(colour + strings.TrimSuffix(line, "\n") + "\x1b[0m\n")
	}
	return out.String()
}
