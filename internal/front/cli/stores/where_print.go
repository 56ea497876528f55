package stores

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/spf13/cobra"
)

func (ans whereAnswer) print(a *app.App, cmd *cobra.Command) error {
	t := app.Table{Head: []string{"LAYER", "MEMORIES", "TRUSTED", "WHY"}}
	home := ""
	onTerminal := app.Terminal(cmd.OutOrStdout()) > 0
	if onTerminal {
		home = a.Getenv("HOME")
	}
	for _, s := range ans.Stores {
		number := fmt.Sprint(s.Memories)
		why := s.Why
		if s.Trust == "no" || s.Problem != "" {
			number = "-"
		}
		if s.Problem != "" {
			why += "; " + s.Problem
		}
		if s.Gone {
			why = "gone: " + why
		}
		row := []string{nameOf(s), number, s.Trust, app.OneLine(tilde(why, home))}
		more := []string{app.OneLine(tilde(s.Root, home))}
		if s.ClaimedBy != "" {
			more = append(more, fmt.Sprintf("identity %.8s is that of %s", s.Identity,
				filepath.Base(s.ClaimedBy)))
		} else if s.Identity != "" {
			more = append(more, fmt.Sprintf("identity %.8s", s.Identity))
		}
		if !onTerminal {
			t.Add(append(row, more...)...)
			continue
		}
		t.Add(row...)
		t.AddBelow(strings.Join(more, "\n  ")) // whole: the verb is about it
	}
	clock, err := a.Clock()
	if err != nil {
		return err
	}
	for _, row := range ans.Exchanges {
		line, _ := row.Line(clock())
		if !onTerminal {
			t.Add("sync", "-", "-", app.OneLine(line), app.OneLine(row.Dest))
			continue
		}
		t.Add("sync", "-", "-", app.OneLine(line))
		t.AddBelow(app.OneLine(tilde(row.Dest, home)))
	}
	return t.Write(a, cmd)
}

// nameOf returns what to call a store in the first column.
func nameOf(s doctor.Store) string {
	switch {
	case s.Trust == "no":
		return "not used"
	case !s.Used:
		return "other"
	case s.Layer == "":
		return "the only one"
	}
	return s.Layer
}

// tilde returns a text for a person with ~ in place of the home directory; "" is none.
func tilde(text, home string) string {
	if home == "" {
		return text
	}
	return strings.ReplaceAll(text, home+string(filepath.Separator), "~"+string(filepath.Separator))
}
