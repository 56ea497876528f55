# postgres: no (it is about the files of clients)
# The files of every client.
mem() { PATH=${PATH%%:*} command mem "$@"; }
export MEM_ROOT=memory
mem setup codex --root "a b"
cat .codex/hooks.json
mem setup codex --check
mem setup codex --root elsewhere --quiet
grep -c elsewhere .codex/hooks.json
mem setup gemini
cat .gemini/settings.json
mem setup qwen
cat .qwen/settings.json
mem setup copilot
cat .copilot/hooks/mem.json
mem setup pi
sed -n 25,34p .pi/agent/extensions/mem.ts
mem setup cline
sed -n 36,41p .cline/plugins/mem.ts
mem setup droid
cat .factory/settings.json
mem setup kilo
grep -c hook_event_name .config/kilo/plugin/mem.ts
mem setup continue
mem setup continue --check
mem setup opencode --root c
mem setup opencode
sed -n 1,8p .config/opencode/plugin/mem.ts
mem setup cursor
sed -n 1,7p .cursor/rules/mem.mdc
mem setup vscode
cat .github/hooks/mem.json
echo '# Rules' > AGENTS.md
mem setup agents-md
sed -n 1,5p AGENTS.md
mem setup
for client in codex gemini qwen copilot droid pi cline opencode kilo continue cursor vscode agents-md; do mem setup $client --remove; done
find . -type f

# Directories that a client's own variable moves.
CLAUDE_CONFIG_DIR=$HOME/elsewhere mem setup claude-code --quiet
XDG_CONFIG_HOME=$HOME/configs mem setup opencode --quiet
