package hook

import (
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/setup"
)

// maxSession is the length in bytes of the longest id of a conversation that is taken for one.
const maxSession = 128

// Caller returns which client runs this process, and in which conversation, as far as the
// environment has them; "" for what it does not.
func Caller(getenv func(string) string) (client, session string) {
	for _, sign := range setup.Signs {
		if getenv(sign.Variable) == "" {
			continue
		}
		if session = getenv(sign.Session); len(session) > maxSession {
			session = ""
		}
		return sign.Client, session
	}
	return "", ""
}

// isAgents reports whether an agent runs a process with this environment: a client's sign is set,
// or an agent's name. What the client named own sets for its own commands is no sign there, as
// AI_AGENT in Claude Code's hooks. "" is no client: each sign counts.
func isAgents(getenv func(string) string, own string) bool {
	for _, sign := range setup.Signs {
		value := getenv(sign.Variable)
		isOwn := own != "" && (sign.Client == own ||
			sign.Client == setup.SeveralClients && strings.HasPrefix(value, own))
		if value != "" && !isOwn {
			return true
		}
	}
	return getenv(setup.AgentVariable) != ""
}

// Source returns the provenance of a write that names none and comes from within a client:
// {"kind":"agent","name":"codex","locator":{"session":"...","agent":"...","project":"..."}}; nil
// elsewhere. Without retrieved_at it does not suffice where provenance is required.
func Source(getenv func(string) string, project string) []byte {
	client, session := Caller(getenv)
	if client == "" {
		return nil
	}
	var source, locator jsontext.Object
	source.Text("kind", "agent")
	source.Text("name", client)
	locator.TextUnlessEmpty("session", session)
	locator.TextUnlessEmpty("agent", getenv(setup.AgentVariable))
	locator.TextUnlessEmpty("project", project)
	if !locator.Empty() {
		source.Raw("locator", locator.Bytes())
	}
	return source.Bytes()
}
