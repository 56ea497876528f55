package app

import (
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

// Table prints rows: laid out by package term for a person, with tabs between the fields in a
// pipe.
type Table struct {
	Head []string
	Rows []term.Row
}

func (t *Table) Add(fields ...string) { t.Rows = append(t.Rows, term.Row{Fields: fields}) }

// Styled says how a terminal shows the row that was added last.
func (t *Table) Styled(style term.Style) { t.Rows[len(t.Rows)-1].Style = style }

// AddBelow adds a text under the last row, for a terminal.
func (t *Table) AddBelow(text string) { t.Rows[len(t.Rows)-1].Below = text }

func (t *Table) Write(a *App, cmd *cobra.Command) error {
	w := cmd.OutOrStdout()
	if width := Terminal(w); width > 0 {
		laid := term.Table{Head: t.Head, Rows: t.Rows}
		_, err := io.WriteString(w, laid.Text(width, a.Colours(w)))
		return err
	}
	var out strings.Builder
	for _, row := range t.Rows {
		line := strings.Join(row.Fields, "\t")
		if a.Colours(w) {
			line = row.Style.Paint(line)
		}
		out.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Colours reports whether what goes to a writer may have colours: as --color says; else only a
// terminal, and not where the environment speaks against it.
func (a *App) Colours(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return Terminal(w) > 0 && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}

// Paint returns a text in a style where the writer takes colours.
func (a *App) Paint(w io.Writer, style term.Style, text string) string {
	if !a.Colours(w) {
		return text
	}
	return style.Paint(text)
}

// AgeOrTime returns the head of a column for a time, and its field: an age for a person.
func AgeOrTime(w io.Writer, now time.Time) (head string, field func(log.Stamp) string) {
	if Terminal(w) == 0 {
		return "TIME", log.Stamp.String
	}
	return "AGE", func(ts log.Stamp) string { return Age(ts, now) }
}

var stamps = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`)
})

// LocalTimes returns a text for people with the times in it as those of their own zone.
func LocalTimes(text string) string {
	return stamps().ReplaceAllStringFunc(text, func(stamp string) string {
		ts, err := log.ParseTime(stamp)
		if err != nil {
			return stamp
		}
		return ts.Time().Local().Format(term.Layout)
	})
}

// ShownTime returns a time: in full in a pipe, in the local zone on a terminal.
func ShownTime(w io.Writer, ts log.Stamp) string {
	if Terminal(w) == 0 {
		return ts.String()
	}
	return ts.Time().Local().Format(term.Layout)
}

// Age returns how long ago a ts was.
func Age(ts log.Stamp, now time.Time) string { return readout.Age(now.Sub(ts.Time())) }
