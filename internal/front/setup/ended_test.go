package setup

import (
	"path/filepath"
	"strings"
	"testing"
)

// What ends the hooks of a client is found in each file that may say so, and the file that the
// client prefers counts.
func TestSettingsThatEndHooks(t *testing.T) {
	type files map[string]string
	const off, on = `{"disableAllHooks": true}`, `{"disableAllHooks": false}`
	for name, c := range map[string]struct {
		client string
		files  files
		want   string // the file, and the setting that is said; "": nothing ends them
	}{
		"claude, the user's": {"claude-code", files{".claude/settings.json": off},
			".claude/settings.json: disableAllHooks is true"},
		"claude, of the project": {"claude-code", files{"project/.claude/settings.json": off},
			"project/.claude/settings.json: disableAllHooks is true"},
		"claude, local": {"claude-code", files{"project/.claude/settings.local.json": off},
			"project/.claude/settings.local.json: disableAllHooks is true"},
		"claude, on again": {"claude-code", files{".claude/settings.json": off,
			"project/.claude/settings.json": on}, ""},
		"claude, no JSON": {"claude-code", files{"project/.claude/settings.json": "{"}, ""},
		"qwen, of the project": {"qwen", files{"project/.qwen/settings.json": off},
			"project/.qwen/settings.json: disableAllHooks is true"},
		"gemini": {"gemini", files{".gemini/settings.json": `{"hooksConfig":{"enabled":false}}`},
			".gemini/settings.json: hooksConfig: enabled is false"},
		"gemini, of the project": {"gemini", files{
			".gemini/settings.json":         `{"hooksConfig":{"enabled":true}}`,
			"project/.gemini/settings.json": `{"hooksConfig":{"enabled":false}, /* */}`,
		}, "project/.gemini/settings.json: hooksConfig: enabled is false"},
		"gemini, one hook": {"gemini", files{".gemini/settings.json": `{"hooksConfig":` +
			`{"disabled":["lint","/usr/bin/mem hook gemini || :"]}}`},
			".gemini/settings.json: hooksConfig: disabled names mem's hook"},
		"gemini, another hook": {"gemini", files{
			".gemini/settings.json": `{"hooksConfig":{"disabled":["lint"]}}`}, ""},
		"codex": {"codex", files{".codex/config.toml": "[features]\nhooks = false\n"},
			".codex/config.toml: features: hooks is false"},
		"codex, old name": {"codex", files{".codex/config.toml": "features.codex_hooks=false"},
			".codex/config.toml: features: codex_hooks is false"},
		"codex, of the project": {"codex", files{
			".codex/config.toml":         "features = { hooks = true }",
			"project/.codex/config.toml": "features = { x = 1, \"hooks\" = false }",
		}, "project/.codex/config.toml: features: hooks is false"},
		"codex, of another table": {"codex", files{
			".codex/config.toml": "[x]\nhooks = false\ntext = '''\n[features]\nhooks = false'''"},
			""},
		"copilot, its file": {"copilot", files{".copilot/hooks/mem.json": off},
			".copilot/hooks/mem.json: disableAllHooks is true"},
		"copilot, of the repository": {"copilot", files{
			"project/.github/copilot/settings.json": off},
			"project/.github/copilot/settings.json: disableAllHooks is true"},
		"vscode": {"vscode", files{
			".config/Code/User/settings.json": `{"chat.useHooks": false}`},
			".config/Code/User/settings.json: chat.useHooks is false"},
		"vscode, the folder": {"vscode", files{"project/.vscode/settings.json": `{` +
			`"chat.hookFilesLocations": {".github/hooks": false}}`},
			"project/.vscode/settings.json: chat.hookFilesLocations: .github/hooks is false"},
		"vscode, another folder": {"vscode", files{"project/.vscode/settings.json": `{` +
			`"chat.hookFilesLocations": {"~/.claude/settings.json": false}}`}, ""},
		"droid": {"droid", files{".factory/hooks.json": `{"SessionStart":[],"Stop":[]}`},
			".factory/hooks.json: droid reads SessionStart from"},
		"droid, within hooks": {"droid", files{".factory/hooks.json": `{"hooks":{"SessionEnd":[` +
			foreign + `]}}`}, ".factory/hooks.json: droid reads SessionEnd from"},
		"droid, moved there": {"droid", files{".factory/hooks.json": `{"SessionStart":[{"hooks":[` +
			`{"type":"command","command":"mem hook droid"}]}]}`}, ""},
		"droid, of a project": {"droid", files{
			"project/.factory/hooks.json": `{"SessionStart":[]}`}, ""},
	} {
		f := newFixture(t)
		for path, text := range c.files {
			write(t, filepath.Join(f.home, path), text)
		}
		r := f.request(c.client, Scopes(ClientByName(c.client))[0])
		off := EndedBy(r)
		path, setting, _ := strings.Cut(c.want, ": ")
		if c.want == "" && off.File != "" || c.want != "" &&
			(off.File != filepath.Join(f.home, path) || !strings.HasPrefix(off.Why, setting)) {
			t.Errorf("%s: %q: %q, want %q", name, off.File, off.Why, c.want)
		}
	}
}
