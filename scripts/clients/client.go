package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/front/setup"

	"github.com/set-memory/mem/scripts/harness"
)

// A client is a coding agent, and how it is run without a person, a network and an account.
type client struct {
	*setup.Client
	env         func(url string) []string
	prepare     func(home, url string) // settings without which it asks or calls home
	ask         func(prompt string, again bool) []string
	resume      func(conversation string) []string // in the place of the flag for the last conversation
	compact     func() []string                    // goes on with the conversation, and compacts it
	shown       func(string) string                // how a text of a hook reads where the client puts it
	wrapper     string                             // what ends the tag that the client puts around a hook's text; empty: there is none
	session     bool                               // whether the commands it runs can know the conversation that they are in
	printsCalls bool                               // its standard output has what its model calls, too
	// connected is what its list of servers says of one that works; codex tries none.
	connected string
	// search is the call by which its model finds the tools of servers; nil: they are offered.
	search func(tool string) call
	// delegate returns the calls by which its model hands an order to a sub-agent, and waits for it.
	delegate func(order string) []call
	// edit is the call by which its model writes a file, and edits are the arguments that let it.
	edit  func(path, text string) call
	edits []string
}

var clients = []client{
	{
		Client: setup.ClientByName("claude-code"),
		shown:  plain, session: true, wrapper: "</system-reminder>", connected: "Connected",
		search: func(tool string) call {
			return call{"ToolSearch", object{"query": "select:mcp__mem__" + tool, "max_results": 1}}
		},
		env: func(url string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
			}
		},
		delegate: func(order string) []call {
			return []call{{"Agent", object{"description": "count", "prompt": order, "subagent_type": "general-purpose", "run_in_background": false}}}
		},
		edit: func(path, text string) call {
			return call{"Write", object{"file_path": path, "content": text}}
		},
		edits:   []string{"--permission-mode", "acceptEdits"},
		prepare: func(string, string) {},
		ask: func(prompt string, again bool) []string {
			args := []string{"-p", prompt, "--model", "claude-sonnet-4-6", "--allowedTools", "Bash(mem:*),mcp__mem"}
			if again {
				args = append(args, "--continue")
			}
			return args
		},
		resume:  func(conversation string) []string { return []string{"--resume", conversation} },
		compact: func() []string { return []string{"-p", "/compact", "--continue", "--model", "claude-sonnet-4-6"} },
	},
	{
		Client: setup.ClientByName("codex"), shown: plain, session: true, connected: "enabled",
		env: func(string) []string { return []string{"MOCK_KEY=dummy"} },
		// Each of the two takes one of the pauses: a sub-agent ends with the agent that began it.
		delegate: func(order string) []call {
			return []call{{"spawn_agent", object{"message": order}}, shell("sleep 2"), shell("sleep 2")}
		},
		edit: func(path, text string) call {
			patch := "*** Begin Patch\n*** Add File: " + path + "\n+" + text + "\n*** End Patch\n"
			return call{"apply_patch", object{"input": patch}}
		},
		edits: []string{"-m", "gpt-5.5"}, // one that is known to take the tool
		prepare: func(home, url string) {
			write(filepath.Join(home, ".codex", "config.toml"), codexConfig(url))
		},
		ask:    func(prompt string, again bool) []string { return codexArgs(prompt, again, true) },
		resume: func(conversation string) []string { return []string{conversation} },
		// It compacts by itself where the conversation is longer than it may be.
		compact: func() []string {
			return append([]string{"-c", "model_auto_compact_token_limit=1"}, codexArgs(greeting, true, true)...)
		},
	},
	{
		Client: setup.ClientByName("gemini"), shown: escaped, wrapper: "</hook_context>", connected: "Connected",
		edit: func(path, text string) call {
			return call{"write_file", object{"file_path": path, "content": text}}
		},
		env: func(url string) []string {
			return []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		prepare: func(home, _ string) {
			const settings = `{"security":{"auth":{"selectedType":"gemini-api-key"}},"telemetry":{"enabled":false},
"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}`
			write(filepath.Join(home, ".gemini", "settings.json"), settings)
		},
		ask: func(prompt string, again bool) []string {
			args := []string{"-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", prompt}
			if again {
				args = append(args, "--resume", "latest")
			}
			return args
		},
	},
	qwen(), copilot(), pi(), cline(), openCode(), kilo(), droid(),
	continueCLI(),
}

func plain(s string) string { return s }

// escaped is a text between tags that it must not close.
func escaped(s string) string { return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(s) }

func codexConfig(url string) string {
	return `model = "gpt-5.2"
model_provider = "loopback"
sandbox_mode = "workspace-write"

[model_providers.loopback]
name = "loopback"
base_url = "` + url + `/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
`
}

// codexArgs asks Codex. Without trust in them it passes over hooks, and there is nobody here to
// give it.
func codexArgs(prompt string, again, trust bool) []string {
	args := []string{"exec"}
	if again {
		args = append(args, "resume", "--last")
	}
	if trust {
		args = append(args, "--dangerously-bypass-hook-trust")
	}
	return append(args, "--skip-git-repo-check", prompt)
}

func write(path, text string) {
	harness.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	harness.Check(os.WriteFile(path, []byte(text), 0o644))
}
