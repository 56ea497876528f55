package hook

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/readout"
)

// Client is what there is to know about a coding agent's hooks.
type Client struct {
	Name string
	unit func(string) int // what its limit on an answer counts
	// What a conversation that is resumed still has. Claude Code brings back what was added to prompts, and drops what a start said. Codex brings back everything.
	// Gemini under -p drops each message that begins with what a start said, and with it what a prompt added; in a terminal it keeps that, and drops what the
	// start of the resumed session says. The others have not been tried. Better twice than never.
	resumed mem.Kept
}

// Clients in the order in which help names them.
var Clients = []Client{
	{"claude-code", readout.UTF16, mem.KeptPrompts},
	{"codex", octets, mem.KeptAll},
	{"gemini", readout.UTF16, mem.KeptUnknown},
	{"opencode", readout.UTF16, mem.KeptUnknown},
	{"vscode", readout.UTF16, mem.KeptUnknown},
}

// maxAnswer is how many units a block may have.
const maxAnswer = 9000

func octets(s string) int { return len(s) }

// Find gives the client of a name.
func Find(name string) (Client, bool) {
	i := slices.IndexFunc(Clients, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return Clients[i], true
}

// occasionOf tells what there is to say something for at an event; ok is false where there is nothing.
func occasionOf(event text) (o mem.Occasion, ok bool) {
	switch event {
	case "SessionStart":
		return mem.AtStart, true
	case "UserPromptSubmit", "BeforeAgent":
		return mem.AtPrompt, true
	case "SubagentStart":
		return mem.AtSubagent, true
	}
	return "", false
}
