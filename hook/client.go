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
}

// Clients in the order in which help names them.
var Clients = []Client{
	{"claude-code", readout.UTF16},
	{"codex", octets},
	{"gemini", readout.UTF16},
	{"opencode", readout.UTF16},
	{"vscode", readout.UTF16},
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

// occasions tells which events there is something to say at.
var occasions = map[string]mem.Occasion{
	"SessionStart":     mem.AtStart,
	"UserPromptSubmit": mem.AtPrompt,
	"BeforeAgent":      mem.AtPrompt,
	"SubagentStart":    mem.AtSubagent,
}
