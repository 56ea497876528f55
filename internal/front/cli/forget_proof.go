package cli

import (
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

func printPurged(a *app, cmd *cobra.Command, d forget.Purged) error {
	print := written(func(w io.Writer) error { return writePurged(w, d) })
	return a.answer(cmd, d, unlessQuiet(print))
}

func writePurged(w io.Writer, d forget.Purged) error {
	for _, s := range d.Stores {
		where := ""
		if s.Layer != "" {
			where = " in the " + s.Layer + " layer"
		}
		fmt.Fprintf(w, "purged %s of %s%s\n", count(s.Versions, "version"), memories(len(s.Keys)),
			where)
		printProof(w, &s)
	}
	if d.Inbox > 0 {
		fmt.Fprintf(w, "purged %s of the inbox (mem approve)\n", count(d.Inbox, "line"))
	}
	return nil
}

func printProof(w io.Writer, s *forget.PurgedStore) {
	if s.Proved {
		fmt.Fprintln(w, "proved: "+s.Looked+" hold nothing of it")
	}
	for _, file := range s.Remains {
		fmt.Fprintf(w, "left: %s\n", oneLine(file))
	}
	if s.Total > 0 {
		fmt.Fprintf(w, "other memories contain the same text or name it, and were kept: %d\n",
			s.Total)
	}
	for _, at := range s.Others {
		fmt.Fprintf(w, "  %s\t%s\n", keypath.Show(at.Key), at.File)
	}
	if more := s.Total - len(s.Others); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	for _, sum := range s.Kept {
		fmt.Fprintf(w, "kept, because another artifact has the same bytes: artifacts/%s\n", sum)
	}
	for _, file := range s.Beyond {
		fmt.Fprintf(w, "not looked into: %s\n", oneLine(file))
	}
	if s.Short > 0 {
		fmt.Fprintf(w, "not proved: %s of less than 4 bytes\n", count(s.Short, "value"))
	}
	fmt.Fprintln(w, "not reached: backups, git history, other clones, transcripts of agents, "+
		"the disk's free blocks")
}
