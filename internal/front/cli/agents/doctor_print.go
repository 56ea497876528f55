package agents

import (
	"fmt"
	"io"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/doctor"
)

var levelStyles = map[doctor.Level]term.Style{
	doctor.OK: term.Green, doctor.Warn: term.Yellow, doctor.Bad: term.Red,
}

func printChecks(a *app.App, w io.Writer, checks []doctor.Check) error {
	var text strings.Builder
	wide := 11
	for _, f := range checks {
		wide = max(wide, term.Width(app.Titled(f.Layer, f.What)))
	}
	for _, f := range checks {
		if f.Fix == "" && a.Quiet {
			continue
		}
		word := term.Pad(strings.Replace(string(f.Level), "bad", "BAD", 1), 4)
		title := term.Pad(app.OneLine(app.Titled(f.Layer, f.What)), wide)
		if width := app.Terminal(w); width > 0 {
			begin := a.Paint(w, levelStyles[f.Level], word) + "  " + title + "  "
			text.WriteString(forScreen(a, w, begin, f, width))
			continue
		}
		line := word + "  " + title + "  " + f.Message
		if f.Fix != "" {
			line += "; do: " + f.Fix
		}
		fmt.Fprintln(&text, app.OneLine(line))
	}
	if app.Terminal(w) > 0 {
		text.WriteString(verdict(checks))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// verdict counts for a person what the list says.
func verdict(checks []doctor.Check) string {
	count := map[doctor.Level]int{}
	for _, f := range checks {
		count[f.Level]++
	}
	if count[doctor.Warn]+count[doctor.Bad] == 0 {
		return "all is well\n"
	}
	return fmt.Sprintf("%d bad, %s\n", count[doctor.Bad], app.Count(count[doctor.Warn], "warning"))
}

// forScreen returns a check in lines that fit a terminal. A command to type stays on one line.
func forScreen(a *app.App, w io.Writer, begin string, f doctor.Check, width int) string {
	message := app.LocalTimes(app.OneLine(f.Message))
	if home := a.Getenv("HOME"); home != "" {
		message = strings.ReplaceAll(message, home+"/", "~/")
	}
	indent, text := strings.Repeat(" ", term.Width(begin)), ""
	if len(indent) > width/2 { // a narrow screen: the message has lines of its own
		text, indent = strings.TrimRight(begin, " ")+"\n", strings.Repeat(" ", len("warn  "))
		begin = indent
	}
	text += term.Fill(message, begin, indent, width)
	if f.Fix != "" {
		text += indent + "do: " + a.Paint(w, term.Cyan, app.OneLine(f.Fix)) + "\n"
	}
	return text
}
