package inject

import (
	"context"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// own returns the page of the calling agent's journal and core, for a block, and its entry in the
// record: the agent's namespace, with the time of the newest write. The core is cut to some tokens,
// and all of it to the room of the block. Its last line, which stands alone where nothing is
// active, says how the agent keeps something. It returns nothing where the conversation has the
// same page already.
func own(ctx context.Context, c mem.Caller, o *Options, has *given, tokens int) (
	text string, told *Injected, err error) {
	if o.Personal == nil || c.Agent == "" || o.Trigger != AtStart {
		return "", nil, nil
	}
	active, err := journal.ForPrompt(ctx, o.Personal, c, "")
	if err != nil {
		return "", nil, err
	}
	told = &Injected{Key: keypath.AgentPrefix + "/" + c.Agent}
	for _, m := range active {
		told.TS = max(told.TS, m.TS)
	}
	if has.hasVersion(*told) {
		return "", nil, nil
	}
	page := journal.NewPage(active)
	page.CutCore(tokens)
	block := o.block()
	unit := block.Unit
	if unit == nil {
		unit = readout.UTF16
	}
	howTo := journal.HowTo(c.Agent)
	page.Fit(block.Room()-unit(howTo+"\n\n"), unit)
	return strings.TrimPrefix(page.Text()+"\n\n"+howTo, "\n\n"), told, nil
}
