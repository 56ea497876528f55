package hook

import "github.com/set-memory/mem/jsontext"

// callers tells by which variable a client's commands know it, and in which one they find the conversation. The first that is set counts.
var callers = []struct{ client, sign, session string }{
	{"claude-code", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID"},
	{"codex", "CODEX_THREAD_ID", "CODEX_SESSION_ID"},
	{"codex", "CODEX_SANDBOX", "CODEX_SESSION_ID"},
	{"gemini", "GEMINI_CLI", "GEMINI_SESSION_ID"},
	{"opencode", "OPENCODE", "OPENCODE_SESSION_ID"},
}

// maxSession is how many bytes of a conversation's id are believed to be one.
const maxSession = 128

// Caller tells which client runs this process, and in which conversation: "" where nobody knows.
func Caller(getenv func(string) string) (client, session string) {
	for _, c := range callers {
		if getenv(c.sign) != "" {
			if session = getenv(c.session); len(session) > maxSession {
				session = ""
			}
			return c.client, session
		}
	}
	return "", ""
}

// Source is the provenance of a write that names none, from within a client: {"kind":"agent","name":"codex","locator":{"session":"..."}}. It is nil elsewhere.
// It has no retrieved_at, for it vouches for who wrote and not for what: where provenance is due it does not suffice.
func Source(getenv func(string) string) []byte {
	client, session := Caller(getenv)
	if client == "" {
		return nil
	}
	b := jsontext.AppendString([]byte(`{"kind":"agent","name":`), client)
	if session != "" {
		b = append(jsontext.AppendString(append(b, `,"locator":{"session":`...), session), '}')
	}
	return append(b, '}')
}
