package setup

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
)

// edit is what is done to one file. strip undoes add; original is what the file held before the first
// change, nil for no file.
type edit interface {
	add(text []byte, ask Ask) ([]byte, error)
	strip(text, original []byte) ([]byte, error)
	command(text []byte) []string // what the part of ours starts
	disabled(text []byte) bool
}

// file is one file of a client.
type file struct {
	name string // below the directory of the scope
	edit edit
}

// Client is one coding agent.
type Client struct {
	Name    string
	program string             // what it is started by
	dir     func(Place) string // where its files for all projects are; nil: it has none
	user    []file
	project []file
	left    func(Ask) []string // what its user still has to do
}

// Clients are those there are, in the order in which they are listed.
var Clients = []*Client{
	{
		Name: "claude-code", program: "claude",
		dir:     func(p Place) string { return p.moved("CLAUDE_CONFIG_DIR", ".claude") },
		user:    []file{{"settings.json", claudeHooks}, {"CLAUDE.md", guidance}},
		project: []file{{".claude/settings.json", claudeHooks}, {"CLAUDE.md", guidance}},
		left:    claudeLeft,
	},
	{
		Name: "codex", program: "codex",
		dir:     codexDir,
		user:    []file{{"hooks.json", codexHooks}, {"AGENTS.md", guidance}},
		project: []file{{".codex/hooks.json", codexHooks}, {"AGENTS.md", guidance}},
		left:    codexLeft,
	},
	{
		Name: "gemini", program: "gemini",
		dir:     func(p Place) string { return p.moved("", ".gemini") },
		user:    []file{{"settings.json", geminiHooks}, {"GEMINI.md", guidance}},
		project: []file{{".gemini/settings.json", geminiHooks}, {"GEMINI.md", guidance}},
		left:    geminiLeft,
	},
	{
		Name: "opencode", program: "opencode",
		dir:     func(p Place) string { return filepath.Join(p.config(), "opencode") },
		user:    []file{{"plugin/mem.ts", plugin(pluginSource)}, {"AGENTS.md", guidance}},
		project: []file{{".opencode/plugin/mem.ts", plugin(pluginSource)}, {"AGENTS.md", guidance}},
	},
	{Name: "cursor", program: "cursor", project: []file{{".cursor/rules/mem.mdc", cursorRule()}}, left: cursorLeft},
	{
		Name: "vscode", program: "code",
		project: []file{{".github/hooks/mem.json", vscodeHooks}, {".github/copilot-instructions.md", guidance}},
		left:    vscodeLeft,
	},
	{Name: "agents-md", project: []file{{"AGENTS.md", guidance}}},
}

// Named gives the client of that name; nil if there is none.
func Named(name string) *Client {
	for _, c := range Clients {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// The hooks of each client. Claude Code and Codex count seconds, Gemini milliseconds. A timeout is far above what a hook takes: it bounds how long
// a broken disk can hold a person up.
var (
	claudeHooks = hooks{exec: true, off: "disableAllHooks", want: []hook{
		{"SessionStart", "startup|resume|clear|compact|fork", 5}, {"UserPromptSubmit", "", 3}, {"SubagentStart", "", 3}}}
	codexHooks  = hooks{want: []hook{{"SessionStart", "", 5}, {"UserPromptSubmit", "", 3}, {"SubagentStart", "", 3}}}
	geminiHooks = hooks{want: []hook{{"SessionStart", "", 5000}, {"BeforeAgent", "", 3000}}}
	vscodeHooks = hooks{flat: true, want: []hook{{"SessionStart", "", 5}}}
)

// pluginSource runs the hook from within OpenCode, which has no hooks in its settings. It takes program and arguments.
//
//go:embed plugin.ts
var pluginSource string

func cursorRule() block {
	b := guidance
	b.head = "---\ndescription: a memory that outlives the session\nalwaysApply: true\n---\n\n"
	return b
}

// Scopes gives the scopes in which the client can be wired; the first is what is meant where none is named.
func (c *Client) Scopes() []Scope {
	if c.dir == nil {
		return []Scope{Project}
	}
	return []Scope{User, Project}
}

// files gives the client's files of a scope, with their whole paths.
func (c *Client) files(scope Scope, p Place) []file {
	dir, list := p.Project, c.project
	if scope == User {
		if c.dir == nil {
			return nil
		}
		dir, list = c.dir(p), c.user
	}
	whole := make([]file, len(list))
	for i, f := range list {
		whole[i] = file{filepath.Join(dir, filepath.FromSlash(f.name)), f.edit}
	}
	return whole
}

// First is the path of the file that decides how the client stands: that of its hooks, where it has any.
func (c *Client) First(scope Scope, p Place) string {
	for _, f := range c.files(scope, p) {
		return f.name
	}
	return ""
}

// Found reports whether the client seems to be on this machine: its directory is there, or its program is.
func (c *Client) Found(p Place) bool {
	if c.dir != nil {
		if fi, err := os.Stat(c.dir(p)); err == nil && fi.IsDir() {
			return true
		}
	}
	if c.program == "" {
		return false
	}
	_, err := exec.LookPath(c.program)
	return err == nil
}

func codexDir(p Place) string { return p.moved("CODEX_HOME", ".codex") }

func claudeLeft(Ask) []string {
	return []string{
		`start a new session; /hooks in it lists the hooks`,
		`to have mem run without being asked each time, add "Bash(mem *)" to permissions.allow in the settings`,
	}
}

func codexLeft(a Ask) []string {
	left := []string{"run codex and approve the hooks in /hooks: it skips hooks that nobody approved, and says nothing"}
	if a.Store == "" {
		return left
	}
	return append(left,
		"to let mem write from inside Codex's sandbox, put into "+filepath.Join(codexDir(a.Place), "config.toml")+":\n"+
			"    [sandbox_workspace_write]\n    writable_roots = ["+quote(a.Store)+"]")
}

func geminiLeft(a Ask) []string {
	if a.Scope == User {
		return nil
	}
	return []string{"a project's settings count only in a folder that gemini was told to trust; it shows new hooks once"}
}

func cursorLeft(Ask) []string {
	return []string{"Cursor runs no hook that could hand memories over: the rule tells the agent to ask mem for them"}
}

func vscodeLeft(Ask) []string {
	return []string{"hooks are a preview in VS Code: chat.hookFilesLocations must name .github/hooks, and an organization can forbid them"}
}
