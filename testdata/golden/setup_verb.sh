# What mem setup writes, for whom, and how it goes away again. Only mem itself is in its PATH, so no client is found by its program.
# postgres: no (mem alone previews no session from a server)
mem() { PATH=${PATH%%:*} command mem "$@"; }
export MEM_ROOT=memory

# A person's own settings, with comments, a trailing comma and hooks of others.
mkdir .claude
cat > .claude/settings.json <<'EOF'
{
  // which model
  "model": "opus",
  "hooks": {
    "SessionStart": [
      {"hooks": [{"type": "command", "command": "/opt/audit"}]} // since March
    ],
  },
}
EOF
cp .claude/settings.json before.json
mem setup
mem setup claude-code --check; echo "exit $?"
mem setup claude-code --hooks-only --dry-run
diff .claude/settings.json before.json && ls .claude
mem setup claude-code
mem setup claude-code
mem setup claude-code --check; echo "exit $?"
cat .claude/settings.json
ls -A .claude
head -n 4 .claude/CLAUDE.md
tail -n 2 .claude/CLAUDE.md

# The same in a project: then both run.
mkdir -p project/.git project/src && touch project/.git/HEAD
(cd project/src && mem setup claude-code --project --hooks-only)
(cd project && mem setup)
(cd project && mem setup claude-code --check); echo "exit $?"
(cd project && mem setup claude-code --project --remove)
mem setup claude-code --json --check --jq '.files[].state'

# Removed, every byte is what it was.
mem setup claude-code --remove
diff .claude/settings.json before.json && ls -A .claude
mem setup claude-code --remove

# A handler in which a person has put mem's hook together with something else is left alone, and shown.
echo '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"mem hook claude-code; $HOME/bin/load-env.sh"}]}]}}' > .claude/settings.json
cp .claude/settings.json before.json
mem setup claude-code --check --hooks-only; echo "exit $?"
mem setup claude-code --hooks-only -q
grep -c load-env.sh .claude/settings.json
mem doctor -q | grep claude
mem setup claude-code --remove
diff .claude/settings.json before.json && mem setup claude-code --remove
