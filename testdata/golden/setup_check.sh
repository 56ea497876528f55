# postgres: no (it is about the files of clients)
# What --check says of a client, and its exit code; several clients at once, and all.
mem() { PATH=${PATH%%:*} command mem "$@"; }
mkdir .claude .codex .cursor
mem setup
mem setup claude-code codex --check; echo "exit $?"
mem setup claude-code nosuch; echo "exit $?"
mem setup --all codex; echo "exit $?"
ls .claude
mem setup --all; echo "exit $?"
mem setup --all --check; echo "exit $?"
mem setup claude-code codex --check --json --jq '.clients[].files[0].state'

# The sandbox of Codex opens what is there: setup makes the directories that it names.
find .local -type d -empty | sort
cat > .codex/config.toml <<EOF
[sandbox_workspace_write]
# writable_roots = ["$HOME"]
writable_roots = ['/srv/a', # shared
  "$HOME/.local/state/mem"]
EOF
mem setup codex
cat > .codex/config.toml <<EOF
[hooks.state."hooks.json:session_start:0:0"]
trusted_hash = "sha256:d7c9f8e5f7b8abfb3251dbf2b00ccf4696e7e7d2de493906514cb3168a34ffb4"
[hooks.state."hooks.json:user_prompt_submit:0:0"]
trusted_hash = "sha256:c9ba91b7a948e05b5d7bb42745aeb5b9f0313a0b96aefe8eb604e90d7e143823"
[hooks.state."hooks.json:subagent_start:0:0"]
trusted_hash = "sha256:a687e872f7fa23cfb23db3217c99c094f72b846d0ad36675a50b7838167271b9"

[hooks.state."$HOME/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:790dc35cca8e92ec007039a5b14c94d7999a4d136e4dcd963d1f96d913b88ff4"
[hooks.state."$HOME/.codex/hooks.json:pre_compact:0:0"]
trusted_hash = "sha256:e5a5ffa4c961c3dd4c87d69789cf5790e39b543290ec4e3f2cf3cfa02a96e712"
[hooks.state."$HOME/.codex/hooks.json:session_end:0:0"]
trusted_hash = "sha256:506570d078e27299e81994b4528167458ee83ae97e8c95685e29fd3879931b26"
[sandbox_workspace_write]
writable_roots = ["$HOME/.local/share", "$HOME/.local/state/mem/"]
EOF
mem setup codex
mem setup codex --check; echo "exit $?"
sed -i 's/a687e8/000000/' .codex/config.toml
mem setup codex --check; echo "exit $?"
mem setup codex --check --agent ada; echo "exit $?"

# Twice, or never: a warning, and exit code 1.
mkdir -p project/.git && touch project/.git/HEAD
(cd project && mem setup claude-code codex --project -q && mem setup --all --check; echo "exit $?")
(cd project && mem setup --all --project --remove)
sed -i '1s/{/{"disableAllHooks": true,/' .claude/settings.json
mem setup claude-code --check; echo "exit $?"
mem setup --all --remove
mem setup codex --root postgres://127.0.0.1/db?space=s | tail -n 1

# What ends the hooks is named, in whatever file of the client or of the project it is.
mem setup claude-code gemini codex droid -q
mkdir -p project/.claude
echo '{"disableAllHooks": true}' > project/.claude/settings.local.json
printf '[features]\nhooks = false\n' > .codex/config.toml
sed -i '1s/{/{"hooksConfig": {"enabled": false},/' .gemini/settings.json
echo '{"SessionStart": [], "Stop": []}' > .factory/hooks.json
(cd project && mem setup claude-code gemini codex droid --check | grep warning; mem doctor -q | grep -E 'claude|gemini|codex|droid')
mem setup claude-code --check; echo "exit $?"
