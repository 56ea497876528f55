package app

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/readout"
)

// SayNear names the memories that say nearly the same as a new note, with their first words.
func (a *App) SayNear(cmd *cobra.Command, l *layers.Layers, reply mem.NoteReply) {
	if len(reply.Near) == 0 || a.Quiet {
		return
	}
	says := " says nearly the same"
	if len(reply.Near) > 1 {
		says = " say nearly the same"
	}
	var named []string
	for _, name := range reply.Near {
		named = append(named, name+a.firstWords(cmd, l, name))
	}
	a.Advise(cmd, "hint", advice.Say(strings.Join(named, ", ")+says).Also(
		advice.Run("supersede", reply.Near[0], reply.ID).Then(" leaves the new one")))
}

// firstWords returns the first words of a memory in quotes and brackets; "" for none.
func (a *App) firstWords(cmd *cobra.Command, l *layers.Layers, name string) string {
	s, _, err := note.Reading(cmd.Context(), l, a.Caller, name)
	if err != nil {
		return ""
	}
	key, err := a.NamedKey(cmd, s, name)
	if err != nil {
		return ""
	}
	rec, err := s.Get(cmd.Context(), a.Caller, key, true)
	words := readout.Short(rec.Content, content.Parse(rec.Content))
	if err != nil || words == "" {
		return ""
	}
	return " (" + strconv.Quote(text.Clip(words, maxFirstWords)) + ")"
}

// maxFirstWords is how many characters of a similar memory a line has.
const maxFirstWords = 60
