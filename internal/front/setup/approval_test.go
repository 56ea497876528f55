package setup

import (
	"path/filepath"
	"slices"
	"testing"
)

// approved is what Codex 0.169.0 wrote into config.toml when its user approved the hooks that setup
// writes for "mem".
const approved = `
[hooks.state."/home/ada/.codex/hooks.json:session_start:0:0"]
trusted_hash = "sha256:d7c9f8e5f7b8abfb3251dbf2b00ccf4696e7e7d2de493906514cb3168a34ffb4"

[hooks.state."/home/ada/.codex/hooks.json:user_prompt_submit:0:0"]
trusted_hash = "sha256:c9ba91b7a948e05b5d7bb42745aeb5b9f0313a0b96aefe8eb604e90d7e143823"

[hooks.state."/home/ada/.codex/hooks.json:subagent_start:0:0"]
trusted_hash = "sha256:a687e872f7fa23cfb23db3217c99c094f72b846d0ad36675a50b7838167271b9"

[hooks.state."/home/ada/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:790dc35cca8e92ec007039a5b14c94d7999a4d136e4dcd963d1f96d913b88ff4"

[hooks.state."/home/ada/.codex/hooks.json:pre_compact:0:0"]
trusted_hash = "sha256:e5a5ffa4c961c3dd4c87d69789cf5790e39b543290ec4e3f2cf3cfa02a96e712"

[hooks.state."/home/ada/.codex/hooks.json:session_end:0:0"]
trusted_hash = "sha256:506570d078e27299e81994b4528167458ee83ae97e8c95685e29fd3879931b26"
`

// Hooks of Codex that its user has not approved as they are now are not wired.
func TestHooksThatNobodyApproved(t *testing.T) {
	for _, scope := range []Scope{User, Project} {
		f := newFixture(t)
		r := f.request("codex", scope)
		r.Program = "mem"
		state := func() State {
			return statusOf(r).State
		}
		if got := state(); got != Missing {
			t.Errorf("%s: before: %s", scope, got)
		}
		f.install(r)
		if got := state(); got != Unapproved {
			t.Errorf("%s: nobody approved, and the state is %s", scope, got)
		}
		write(t, filepath.Join(f.home, ".codex", "config.toml"), approved)
		if got := state(); got != Wired {
			t.Errorf("%s: approved, and the state is %s", scope, got)
		}
		r.Flags = []string{"--agent", "ada"}
		f.install(r)
		want := []string{SessionStart, UserPromptSubmit, SubagentStart, PreToolUse, PreCompact,
			SessionEnd}
		if got := UnapprovedEvents(r); !slices.Equal(got, want) || state() != Unapproved {
			t.Errorf("%s: changed since, and %v are unapproved", scope, got)
		}
	}
	f := newFixture(t)
	r := f.request("claude-code", User)
	f.install(r)
	if got := statusOf(r).State; got != Wired {
		t.Errorf("claude-code wants no approval, and is %s", got)
	}
}
