package setup

// Claude Code and Codex count a timeout in seconds, Gemini in milliseconds. Each is far above what
// a hook takes: it bounds how long a broken disk can keep a person waiting. docs/clients.md says
// what a resumed conversation of each client still has.
//
// A systemMessage: Claude Code shows it, and never passes it to the model. Codex has it in its JSON
// schema of the answer and shows it as a warning, apart from the context for the model. Gemini
// makes it an information in a terminal, and under -p a line on standard error. VS Code documents
// it as a warning, but nobody has looked at what it sends; the plugin of OpenCode reads the context
// alone.
//
// The table holds constants and no functions: no process spends time on it at its start.
var clients = [...]*Client{
	{
		Name: "claude-code", Program: "claude",
		Home:    Dir{Variable: "CLAUDE_CONFIG_DIR", Default: ".claude"},
		User:    Files{"settings.json", "CLAUDE.md", skill},
		Project: Files{".claude/settings.json", "CLAUDE.md", ".claude/" + skill},
		Hooks: Hooks{Form: argsHooks, Reader: "vscode", Switches: []Switch{
			{Project, ".claude/settings.local.json", "disableAllHooks", "true"},
			{Project, ".claude/settings.json", "disableAllHooks", "true"},
			{User, "settings.json", "disableAllHooks", "true"},
		}, Events: []Event{
			{Name: SessionStart, Matcher: "startup|resume|clear|compact|fork", Timeout: 5},
			{Name: UserPromptSubmit, Timeout: 3}, {Name: SubagentStart, Timeout: 3},
			{Name: PreToolUse, Matcher: "Edit|Write|MultiEdit|NotebookEdit", Timeout: 3},
			{Name: PostToolUse, Timeout: 3, Capture: true,
				Matcher: "Bash|Edit|Write|MultiEdit|NotebookEdit|Read|Grep|Glob|" +
					"CronCreate|ScheduleWakeup"},
			{Name: PostToolUseFailure, Matcher: "Bash", Timeout: 3, Capture: true},
			{Name: PreCompact, Timeout: 3, Capture: true},
			{Name: SessionEnd, Timeout: 3, Capture: true},
		}},
		Server: Server{Form: jsonServers, Member: "mcpServers", Typed: true,
			Home: Dir{Variable: "CLAUDE_CONFIG_DIR"}, User: ".claude.json", Project: ".mcp.json"},
		Resumes: ResumesAll, TellsPerson: true,
		AfterSetup: Advice{Always: []string{
			"start a new session; /hooks in it lists the hooks",
			`to have mem run without being asked each time, ` +
				`add "Bash(mem *)" to permissions.allow in the settings`,
		}},
	},
	{
		Name: "codex", Program: "codex",
		Home:    Dir{Variable: "CODEX_HOME", Default: ".codex"},
		User:    Files{"hooks.json", "AGENTS.md", skill},
		Project: Files{".codex/hooks.json", "AGENTS.md", ".codex/" + skill},
		Hooks: Hooks{Form: lineHooks, Approvals: "config.toml", Switches: []Switch{
			{Project, ".codex/config.toml", "features hooks", "false"},
			{User, "config.toml", "features hooks", "false"},
			{Project, ".codex/config.toml", "features codex_hooks", "false"},
			{User, "config.toml", "features codex_hooks", "false"},
		}, Events: []Event{
			{Name: SessionStart, Timeout: 5}, {Name: UserPromptSubmit, Timeout: 3},
			{Name: SubagentStart, Timeout: 3},
			{Name: PreToolUse, Matcher: "apply_patch", Timeout: 3},
			{Name: PreCompact, Timeout: 3, Capture: true},
			{Name: SessionEnd, Timeout: 3, Capture: true},
		}},
		Server:      Server{Form: tomlServers, User: "config.toml"},
		CountsBytes: true,
		Resumes:     ResumesAll, TellsPerson: true,
		AfterSetup: Advice{
			Always: []string{"run codex and approve the hooks in /hooks: " +
				"it skips hooks that are not approved, without a message"},
			SandboxConfig: "config.toml",
		},
	},
	{
		Name: "gemini", Program: "gemini",
		Home:    Dir{Default: ".gemini"},
		User:    Files{"settings.json", "GEMINI.md", skill},
		Project: Files{".gemini/settings.json", "GEMINI.md", ".gemini/" + skill},
		Hooks: Hooks{Form: lineHooks, Switches: []Switch{
			{Project, ".gemini/settings.json", "hooksConfig enabled", "false"},
			{User, "settings.json", "hooksConfig enabled", "false"},
			{Project, ".gemini/settings.json", "hooksConfig disabled", ""},
			{User, "settings.json", "hooksConfig disabled", ""},
		}, Events: []Event{
			{Name: SessionStart, Timeout: 5000}, {Name: BeforeAgent, Timeout: 3000},
			{Name: AfterTool, Timeout: 3000, Edits: "replace|write_file",
				Matcher: "replace|write_file|run_shell_command|read_file|grep_search|glob"},
			{Name: SessionEnd, Timeout: 3000, Capture: true},
		}},
		Server: Server{Form: jsonServers, Member: "mcpServers",
			User: "settings.json", Project: ".gemini/settings.json"},
		TellsPerson: true,
		AfterSetup: Advice{InProject: []string{"a project's settings apply only in a folder " +
			"that gemini trusts; it shows new hooks once"}},
	},
	{
		Name: "qwen", Program: "qwen",
		Home:    Dir{Default: ".qwen"},
		User:    Files{"settings.json", "QWEN.md", skill},
		Project: Files{".qwen/settings.json", "AGENTS.md", ".qwen/" + skill},
		Hooks: Hooks{Form: lineHooks, Switches: []Switch{
			{Project, ".qwen/settings.json", "disableAllHooks", "true"},
			{User, "settings.json", "disableAllHooks", "true"},
		}, Events: []Event{
			{Name: SessionStart, Timeout: 5}, {Name: UserPromptSubmit, Timeout: 3},
			{Name: PostToolUse, Timeout: 3, Edits: "edit|write_file|notebook_edit",
				Matcher: "edit|write_file|notebook_edit|run_shell_command|read_file|" +
					"grep_search|glob"},
			{Name: PreCompact, Timeout: 3, Capture: true},
			{Name: SessionEnd, Timeout: 3, Capture: true},
		}},
		Server: Server{Form: jsonServers, Member: "mcpServers",
			User: "settings.json", Project: ".qwen/settings.json"},
		Resumes: ResumesPrompts,
		AfterSetup: Advice{InProject: []string{"a project's settings apply only in a folder " +
			"that qwen trusts"}},
	},
	{
		Name: "copilot", Program: "copilot",
		Home:    Dir{Variable: "COPILOT_HOME", Default: ".copilot"},
		User:    Files{"hooks/mem.json", "copilot-instructions.md", skill},
		Project: Files{Hooks: ".github/hooks/mem-copilot.json", Guidance: "AGENTS.md"},
		Hooks: Hooks{Form: flatHooks, Switches: []Switch{
			{Member: "disableAllHooks", Off: "true"},
			{Project, ".github/copilot/settings.local.json", "disableAllHooks", "true"},
			{Project, ".github/copilot/settings.json", "disableAllHooks", "true"},
			{User, "settings.json", "disableAllHooks", "true"},
		}, Events: []Event{
			{Name: SessionStart, Timeout: 5}, {Name: UserPromptSubmit, Timeout: 3},
			{Name: PostToolUse, Timeout: 3, Edits: "Edit|Write"},
			{Name: PreCompact, Timeout: 3, Capture: true},
			{Name: SessionEnd, Timeout: 3, Capture: true},
		}},
		Resumes: ResumesPrompts, BareContext: true,
		AfterSetup: Advice{InProject: []string{"copilot runs a project's hooks only in a " +
			"folder that it trusts"}},
	},
	{
		Name: "droid", Program: "droid",
		Home:    Dir{Default: ".factory"},
		User:    Files{"settings.json", "AGENTS.md", skill},
		Project: Files{".factory/settings.json", "AGENTS.md", ".factory/" + skill},
		Hooks: Hooks{Form: lineHooks, Overlay: "hooks.json", Events: []Event{
			{Name: SessionStart, Timeout: 5}, {Name: UserPromptSubmit, Timeout: 3},
			{Name: PostToolUse, Timeout: 3, Edits: "Edit|Create",
				Matcher: "Edit|Create|Execute|Read|Grep|Glob"},
			{Name: PreCompact, Timeout: 3, Capture: true},
			{Name: SessionEnd, Timeout: 3, Capture: true},
		}},
	},
	{
		Name: "pi", Program: "pi",
		Home:    Dir{Variable: "PI_CODING_AGENT_DIR", Default: ".pi/agent"},
		User:    Files{"extensions/mem.ts", "AGENTS.md", skill},
		Project: Files{".pi/extensions/mem.ts", "AGENTS.md", ".pi/" + skill},
		Hooks: Hooks{Form: PluginHooks,
			Events: []Event{{Name: PostToolUse, Edits: "Edit|Write"}}},
	},
	{
		Name: "cline", Program: "cline",
		Home:    Dir{Variable: "CLINE_DIR", Default: ".cline"},
		User:    Files{"plugins/mem.ts", "rules/mem.md", skill},
		Project: Files{".cline/plugins/mem.ts", "AGENTS.md", ".cline/" + skill},
		Hooks: Hooks{Form: PluginHooks,
			Events: []Event{{Name: PostToolUse, Edits: "Edit|apply_patch"}}},
		Resumes: ResumesAll,
	},
	{
		Name: "opencode", Program: "opencode",
		Home:    Dir{Variable: "XDG_CONFIG_HOME", Default: ".config", Sub: "opencode"},
		User:    Files{Hooks: "plugin/mem.ts", Guidance: "AGENTS.md"},
		Project: Files{Hooks: ".opencode/plugin/mem.ts", Guidance: "AGENTS.md"},
		Hooks: Hooks{Form: PluginHooks,
			Events: []Event{{Name: PostToolUse, Edits: "Edit|Write"}}},
	},
	{
		Name: "kilo", Program: "kilo",
		Home:    Dir{Variable: "XDG_CONFIG_HOME", Default: ".config", Sub: "kilo"},
		User:    Files{"plugin/mem.ts", "AGENTS.md", skill},
		Project: Files{".kilo/plugin/mem.ts", "AGENTS.md", ".kilo/" + skill},
		Hooks: Hooks{Form: PluginHooks, Plugin: "opencode",
			Events: []Event{{Name: PostToolUse, Edits: "Edit|Write"}}},
	},
	{
		// Its hooks are in its source, and no part of version 1.5.47 runs them.
		Name: "continue", Program: "cn",
		Home:    Dir{Variable: "CONTINUE_GLOBAL_DIR", Default: ".continue"},
		User:    Files{Guidance: "rules/mem.md", Skill: skill},
		Project: Files{Guidance: ".continue/rules/mem.md", Skill: ".continue/" + skill},
		AfterSetup: Advice{Always: []string{"Continue runs no hook that could hand memories " +
			"over: the rule tells the agent to ask mem for them"}},
	},
	{
		Name: "cursor", Program: "cursor",
		Home:        Dir{Default: ".cursor"},
		Project:     Files{Guidance: ".cursor/rules/mem.mdc"},
		FrontMatter: cursorFrontMatter,
		Server: Server{Form: jsonServers, Member: "mcpServers", Always: true, Desktop: true,
			User: "mcp.json", Project: ".cursor/mcp.json"},
		AfterSetup: Advice{
			Always: []string{"turn mem on in Cursor's settings, under MCP, if it is off there"},
			InProject: []string{"mem wires no hook of Cursor: " +
				"the rule tells the agent to ask mem for memories"},
		},
	},
	{
		Name: "vscode", Program: "code",
		Home: Dir{Variable: "XDG_CONFIG_HOME", Default: ".config",
			Mac: "Library/Application Support", AppData: true, Sub: "Code/User"},
		Project: Files{Hooks: ".github/hooks/mem.json",
			Guidance: ".github/copilot-instructions.md"},
		Hooks: Hooks{Form: flatHooks, Switches: []Switch{
			{Project, ".vscode/settings.json", "chat.useHooks", "false"},
			{User, "settings.json", "chat.useHooks", "false"},
			{Project, ".vscode/settings.json", "chat.hookFilesLocations .github/hooks", "false"},
			{User, "settings.json", "chat.hookFilesLocations .github/hooks", "false"},
		}, Events: []Event{{Name: SessionStart, Timeout: 5}}},
		Server: Server{Form: jsonServers, Member: "servers", Typed: true, Always: true,
			Desktop: true, User: "mcp.json", Project: ".vscode/mcp.json"},
		AfterSetup: Advice{InProject: []string{"hooks are a preview in VS Code: " +
			"an organization can turn them off"}},
	},
	{
		Name: "claude-desktop",
		Home: Dir{Variable: "XDG_CONFIG_HOME", Default: ".config",
			Mac: "Library/Application Support", AppData: true, Sub: "Claude"},
		Server: Server{Form: jsonServers, Member: "mcpServers", Always: true, Desktop: true,
			User: "claude_desktop_config.json"},
		AfterSetup: Advice{Always: []string{"quit Claude Desktop, not only its window, " +
			"and start it again"}},
	},
	{
		Name: "windsurf", Program: "windsurf",
		Home: Dir{Default: ".codeium/windsurf"},
		Server: Server{Form: jsonServers, Member: "mcpServers", Always: true, Desktop: true,
			User: "mcp_config.json"},
		AfterSetup: Advice{Always: []string{"press Refresh among Windsurf's MCP servers"}},
	},
	{
		Name: "zed", Program: "zed",
		Home: Dir{Variable: "XDG_CONFIG_HOME", Default: ".config", Mac: ".config", AppData: true,
			Sub: "zed"},
		Server: Server{Form: jsonServers, Member: "context_servers", Always: true, Desktop: true,
			User: "settings.json", Project: ".zed/settings.json"},
		AfterSetup: Advice{Always: []string{"the Agent Panel's settings in Zed list mem"}},
	},
	{
		// Any agent that reads AGENTS.md.
		Name: agentsMD, Project: Files{Guidance: "AGENTS.md"},
	},
}

// skill is the file of a skill, below the directory of an agent.
const skill = "skills/mem/SKILL.md"

const skillFrontMatter = "---\nname: mem\ndescription: More of the memory that outlives the " +
	"session, as the source and the versions of a memory, undo, lists by place, tag and time, " +
	"and why a memory came or did not.\n---\n\n"

const cursorFrontMatter = "---\ndescription: a memory that outlives the session\n" +
	"alwaysApply: true\n---\n\n"
