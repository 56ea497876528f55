package cli

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

// table prints rows: laid out by package term for a person, with tabs between the fields in a
// pipe.
type table struct {
	head []string
	rows []term.Row
}

func (t *table) add(fields ...string) { t.rows = append(t.rows, term.Row{Fields: fields}) }

// styled says how a terminal shows the row that was added last.
func (t *table) styled(style term.Style) { t.rows[len(t.rows)-1].Style = style }

// addBelow adds a text under the last row, for a terminal.
func (t *table) addBelow(text string) { t.rows[len(t.rows)-1].Below = text }

func (t *table) write(a *app, cmd *cobra.Command) error {
	w := cmd.OutOrStdout()
	if width := terminal(w); width > 0 {
		laid := term.Table{Head: t.head, Rows: t.rows}
		_, err := io.WriteString(w, laid.Text(width, a.colours(w)))
		return err
	}
	var out strings.Builder
	for _, row := range t.rows {
		line := strings.Join(row.Fields, "\t")
		if a.colours(w) {
			line = row.Style.Paint(line)
		}
		out.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// colours reports whether what goes to a writer may have colours: as --color says; else only a
// terminal, and not where the environment speaks against it.
func (a *app) colours(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return terminal(w) > 0 && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// paint returns a text in a style where the writer takes colours.
func paint(a *app, w io.Writer, style term.Style, text string) string {
	if !a.colours(w) {
		return text
	}
	return style.Paint(text)
}

// ageOrTime returns the head of a column for a time, and its field: an age for a person.
func ageOrTime(w io.Writer, now time.Time) (head string, field func(log.Stamp) string) {
	if terminal(w) == 0 {
		return "TIME", log.Stamp.String
	}
	return "AGE", func(ts log.Stamp) string { return age(ts, now) }
}

var stamps = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`)
})

// localTimes returns a text for people with the times in it as those of their own zone.
func localTimes(text string) string {
	return stamps().ReplaceAllStringFunc(text, func(stamp string) string {
		ts, err := log.ParseTime(stamp)
		if err != nil {
			return stamp
		}
		return ts.Time().Local().Format(term.Layout)
	})
}

// shownTime returns a time: in full in a pipe, where a program may give it back; in the local zone
// on a terminal.
func shownTime(w io.Writer, ts log.Stamp) string {
	if terminal(w) == 0 {
		return ts.String()
	}
	return ts.Time().Local().Format(term.Layout)
}

// age returns how long ago a ts was.
func age(ts log.Stamp, now time.Time) string { return readout.Age(now.Sub(ts.Time())) }
