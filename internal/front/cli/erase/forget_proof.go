package erase

import (
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// PrintPurged answers a purge, with the proof of each store.
func PrintPurged(a *app.App, cmd *cobra.Command, d forget.Purged) error {
	print := app.Written(func(w io.Writer) error { return writePurged(w, d) })
	return a.Answer(cmd, d, app.UnlessQuiet(print))
}

func writePurged(w io.Writer, d forget.Purged) error {
	for _, s := range d.Stores {
		where := ""
		if place := s.Place(); place != "" {
			where = " in " + app.OneLine(place)
		}
		fmt.Fprintf(w, "purged %s of %s%s\n", app.Count(s.Versions, "version"),
			app.Memories(len(s.Keys)), where)
		printProof(w, &s)
	}
	if d.Inbox > 0 {
		fmt.Fprintf(w, "purged %s of the inbox (mem approve)\n", app.Count(d.Inbox, "line"))
	}
	return nil
}

func printProof(w io.Writer, s *forget.PurgedStore) {
	if s.Proved {
		fmt.Fprintln(w, "proved: "+s.Looked+" hold nothing of it")
	}
	for _, file := range s.Remains {
		fmt.Fprintf(w, "left: %s\n", app.OneLine(file))
	}
	if s.Total > 0 {
		fmt.Fprintf(w, "other memories contain the same text or name it, and were kept: %d\n",
			s.Total)
	}
	for _, at := range s.Others {
		names := map[bool]string{true: "\tnames it"}[at.Names]
		fmt.Fprintf(w, "  %s\t%s%s\n", keypath.Show(at.Key), at.File, names)
	}
	if more := s.Total - len(s.Others); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	for _, sum := range s.Kept {
		fmt.Fprintf(w, "kept, because another artifact has the same bytes: artifacts/%s\n", sum)
	}
	for _, file := range s.Beyond {
		fmt.Fprintf(w, "not looked into: %s\n", app.OneLine(file))
	}
	if s.Short > 0 {
		fmt.Fprintf(w, "not proved: %s of less than 4 bytes\n", app.Count(s.Short, "value"))
	}
	fmt.Fprintln(w, "not reached: backups, git history, other clones, transcripts of agents, "+
		"the disk's free blocks")
}
