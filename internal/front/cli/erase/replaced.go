package erase

import (
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// sayReplaced names the memories that deleted ones had replaced: they stay, outdated.
func sayReplaced(a *app.App, cmd *cobra.Command, l *layers.Layers, deleted ...keypath.Key) {
	if !a.Talks() || len(deleted) == 0 {
		return
	}
	s, err := l.Reading()
	if err != nil {
		return // the deletion is done; the list is a courtesy
	}
	left, err := edit.Replaced(cmd.Context(), s, a.Caller, deleted)
	if err != nil || len(left) == 0 {
		return
	}
	key := left[0].String()
	do := advice.Say("what it had replaced stays, outdated: ")
	if len(left) > 1 {
		do = do.Run("audit", "--dangling").Then(" lists " + app.Memories(len(left)) + ", ")
	}
	do = do.Run("forget", key).Then(" deletes it, ").Run("touch", key, "--current").
		Then(" makes it current again")
	a.Advise(cmd, "hint", do)
}
