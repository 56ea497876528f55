# postgres: no (it is about the files of clients)
# Clients that are told of the server mem mcp, in their files of servers. Only mem itself is in its PATH.
here=${PATH%%:*}
mem() { PATH=$here command mem "$@" | sed "s|$here|/opt/bin|"; return "${PIPESTATUS[0]}"; }
cut_path() { sed "s|$here|/opt/bin|" "$1"; }
export MEM_ROOT=memory

# A person's own file, with comments and a trailing comma.
mkdir -p .config/Claude .config/zed
cat > .config/Claude/claude_desktop_config.json <<'EOF'
{
  // what I use
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "server-filesystem"]},
  },
}
EOF
cp .config/Claude/claude_desktop_config.json before.json
mem setup claude-desktop --check; echo "exit $?"
mem setup claude-desktop --dry-run
mem setup claude-desktop --agent ada
cut_path .config/Claude/claude_desktop_config.json
mem setup claude-desktop --check; echo "exit $?"
mem setup claude-desktop --remove
diff .config/Claude/claude_desktop_config.json before.json && ls .config/Claude

# The others: for all projects the whole path, in a project the name.
mem setup windsurf --root "a b"
cut_path .codeium/windsurf/mcp_config.json
mem setup zed
cut_path .config/zed/settings.json
mem setup vscode --user
cut_path .config/Code/User/mcp.json
mkdir -p project/.git && touch project/.git/HEAD
(cd project && mem setup cursor && cat .cursor/mcp.json && mem setup vscode -q && cat .vscode/mcp.json)
mem setup cursor --user
mem setup

# Where there are hooks it is for who asks for it, and kept up to date from then on.
mem setup claude-code -q; ls .claude.json
mem setup claude-code --mcp
cat .claude.json
mem setup claude-code --root elsewhere -q
grep -o '"mcp".*' .claude.json
mem setup gemini --mcp --hooks-only; echo "exit $?"
mem setup gemini --mcp -q
sed -n '/mcpServers/,$p' .gemini/settings.json
mkdir .codex && echo 'model = "gpt"' > .codex/config.toml
mem setup codex --mcp -q
cat .codex/config.toml
for client in claude-desktop windsurf zed vscode cursor; do mem setup $client --user --remove; done
(cd project && mem setup cursor --remove -q && mem setup vscode --remove -q)
for client in claude-code gemini codex; do mem setup $client --remove -q; done
find . -type f | grep -v ^./before | sort
cat .codex/config.toml

# Another server of the name stays, and what cannot be read is left alone.
mkdir -p .codeium/windsurf; echo '{"mcpServers": {"mem": {"url": "https://example.com/mcp"}}}' > .codeium/windsurf/mcp_config.json
mem setup windsurf; echo "exit $?"
mem setup windsurf --check; echo "exit $?"
echo '[mcp_servers.mem]' > .codex/config.toml
mem setup codex --mcp -q
echo '{"mcpServers": [' > .codeium/windsurf/mcp_config.json
mem setup windsurf; echo "exit $?"
mem setup opencode --mcp; echo "exit $?"
mem setup zed --hooks-only; echo "exit $?"
mem setup windsurf --project; echo "exit $?"
