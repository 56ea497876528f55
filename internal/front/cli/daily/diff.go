package daily

import (
	"bytes"
	"errors"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type diffOptions struct{}

func NewDiffCmd(a *app.App) *cobra.Command {
	o := &diffOptions{}
	return &cobra.Command{
		Use:   "diff <key> [<ts>] [<ts>]",
		Short: "show what changed between two versions of a key",
		Long: `Show the changes to a memory as diff -u does, on the lines of its indented
JSON: from the version before the newest, or from the version of the first TS
to that of the second, or else to the newest. mem history prints the times;
both of their forms are accepted. Exit code 0 even without a difference, 1 if
there are no two versions. --json prints
{"key","from":{"ts","content"},"to":{"ts","content"}}.`,
		Example: `  mem diff /project/db
  mem diff /project/db 2026-02-22T10:00:00.000000Z
  mem diff /project/db --json --jq '.from.content.text, .to.content.text'`,
		Args:              app.WantArgs(1, 3, "one key and at most two times"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
}

func (o *diffOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	if _, err := a.OpenToRead(cmd); err != nil {
		return err
	}
	h, err := findEver(a, cmd, a.Layers, args[0])
	if err != nil {
		return err
	}
	var at []log.Stamp
	for _, text := range args[1:] {
		ts, err := versionAt(a, cmd, h, "diff", text)
		if err != nil {
			return err
		}
		at = append(at, ts)
	}
	pair, err := edit.FindPair(cmd.Context(), h.Store, a.Caller, h.Key, at...)
	if err != nil {
		return diffError(err)
	}
	a.SayLayer(cmd, a.Layers, "from", a.Layers.NameOf(h.Site))
	return a.Answer(cmd, pair, func(*app.App, *cobra.Command) error {
		return o.print(a, cmd, pair)
	})
}

func diffError(err error) error {
	var fault *edit.Error
	if !errors.As(err, &fault) {
		return err
	}
	key := fault.Key.String()
	if errors.Is(err, edit.ErrFirst) {
		return app.Hinted(err, advice.Run("history", key).Then(" prints its only version"))
	}
	return app.Hinted(err, advice.Run("history", key).Then(" lists its versions"))
}

func (o *diffOptions) print(a *app.App, cmd *cobra.Command, p edit.Pair) error {
	from, to := p.From.TS.String(), p.To.TS.String()
	if app.Terminal(cmd.OutOrStdout()) > 0 {
		times := versionTimes([]log.Stamp{p.To.TS, p.From.TS})
		from, to = times[1], times[0]
	}
	from, to = p.Key.Shown()+"\t"+from, p.Key.Shown()+"\t"+to
	out := diff.Diff(from, diffText(p.From), to, diffText(p.To))
	// The first line names the command, for which diff -u has no line.
	_, text, _ := bytes.Cut(out, []byte("\n"))
	if len(text) == 0 {
		a.Mention(cmd, "no difference")
		return nil
	}
	shown := string(text)
	if a.Colours(cmd.OutOrStdout()) {
		shown = coloured(shown)
	}
	return app.Verbatim(shown)(a, cmd)
}

// diffText returns the lines of a version; none where it is a deletion.
func diffText(v edit.Version) []byte {
	if string(v.Content) == "null" {
		return nil
	}
	return append(app.Indented(v.Content), '\n')
}

// coloured returns a diff with deleted lines in red and new lines in green.
func coloured(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		style := map[byte]term.Style{
			'-': term.Red, '+': term.Green, '@': term.Cyan,
		}[line[0]]
		if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++") {
			style = term.Bold
		}
		out.WriteString(style.Paint(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return out.String()
}
