package setup

// Sign is an environment variable that a program sets for the commands that it runs for a model.
type Sign struct {
	Variable string
	Client   string // its name; SeveralClients: several set the variable
	Session  string // the variable with the id of the conversation; "" for none
}

// SeveralClients is the name of a client that is one of several.
const SeveralClients = "other-agent"

// AgentVariable names the agent that runs a command, whatever its client.
const AgentVariable = "MEM_AGENT"

// Signs is the only list of these variables; the first one that is set counts. Beside each is the
// text that names the program which sets it. Variables of an editor (TERM_PROGRAM, VSCODE_*,
// ZED_TERM, CURSOR_TRACE_ID) are in a person's terminal, too, and mark no agent.
var Signs = [...]Sign{
	{"CLAUDECODE", "claude-code", "CLAUDE_CODE_SESSION_ID"},   // Claude Code Docs, env-vars
	{"CODEX_THREAD_ID", "codex", "CODEX_SESSION_ID"},          // openai/codex, pull 10096
	{"CODEX_SANDBOX", "codex", "CODEX_SESSION_ID"},            // openai/codex, core/src/spawn.rs
	{"GEMINI_CLI", "gemini", "GEMINI_SESSION_ID"},             // gemini-cli, docs/tools/shell.md
	{"QWEN_CODE", "qwen", "QWEN_CODE_SESSION_ID"},             // Qwen Code 0.24.4, measured
	{"PI_CODING_AGENT", "pi", ""},                             // pi 0.73.1, measured
	{"CLINE_CONNECTOR_CLI_LAUNCH", "cline", ""},               // Cline 3.0.65, measured
	{"FACTORY_DISABLE_SETTINGS_PERSISTENCE", "droid", ""},     // droid exec 0.225.2, measured
	{"KILO", "kilo", ""},                                      // Kilo 7.7.7, measured
	{"OPENCODE", "opencode", "OPENCODE_SESSION_ID"},           // opencode, src/index.ts; Kilo, too
	{"CURSOR_AGENT", "cursor", ""},                            // Cursor Docs, Terminal
	{"COPILOT_AGENT", "vscode", ""},                           // microsoft/vscode, pull 316267
	{"COPILOT_CLI", "copilot", "COPILOT_AGENT_SESSION_ID"},    // Copilot CLI 1.0.102, measured
	{"COPILOT_AGENT_SESSION_ID", "copilot", ""},               // moonrepo/proto, issue 1028
	{"AMP_CURRENT_THREAD_ID", "amp", "AMP_CURRENT_THREAD_ID"}, // snarktank/ralph, prompt.md
	{"AI_AGENT", SeveralClients, ""},                          // vercel, detect-agent/README.md
	{"AGENT", SeveralClients, ""},                             // agentsmd/agents.md, issue 136
}
