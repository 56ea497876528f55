package inject

import (
	"context"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// own returns the entries of the calling agent's journal and core, for a block, and their entry in
// the record: the agent's namespace, with the time of the newest write. It returns nothing where
// the conversation has them already.
func own(ctx context.Context, c mem.Caller, o *Options, has *given) (
	active []journal.Memory, mine *Injected, err error) {
	if o.Personal == nil || c.Agent == "" || o.Trigger != AtStart {
		return nil, nil, nil
	}
	if active, err = journal.ForPrompt(ctx, o.Personal, c, ""); err != nil {
		return nil, nil, err
	}
	mine = &Injected{Key: keypath.AgentPrefix + "/" + c.Agent}
	for _, m := range active {
		mine.TS = max(mine.TS, m.TS)
	}
	if has.hasVersion(*mine) {
		return nil, nil, nil
	}
	return active, mine, nil
}

// ownPage returns the page of an agent's entries, and its text for a block. The core is cut to some
// tokens, and all of it to the room of the block. Its last line, which stands alone where nothing
// is active, says how the agent keeps something.
func ownPage(active []journal.Memory, agent string, tokens int, block readout.Block) (
	page journal.Page, text string) {
	page = journal.NewPage(active)
	page.CutCore(tokens)
	unit := block.Unit
	if unit == nil {
		unit = readout.UTF16
	}
	howTo := journal.HowTo(agent)
	page.Fit(block.Room()-unit(howTo+"\n\n"), unit)
	return page, strings.TrimPrefix(page.Text()+"\n\n"+howTo, "\n\n")
}
