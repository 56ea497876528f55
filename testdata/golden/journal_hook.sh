# A client that is wired for an agent tells it what it keeps, at the start of each conversation.
# needs: git jq
mem setup claude-code --agent ada --hooks-only | head -n 1
grep -c '"--agent", "ada"' .claude/settings.json
mem setup claude-code --hooks-only | head -n 1
mem setup claude-code --agent ada | sed 1d; sed -n '/own memory/,$p' .claude/CLAUDE.md; mem setup claude-code --check
mem setup claude-code --agent bob -q | sed 1d; grep -c 'agent bob' .claude/CLAUDE.md; ls -A .claude
mem setup claude-code --agent ada -q | sed 1d; ls -A .claude; mem setup claude-code -q | sed 1d; cp -r .claude wired; mem setup claude-code --remove; test -e .claude || echo gone; mv wired .claude
CLAUDECODE=1 mem setup claude-code --agent bob --hooks-only; echo "exit $?"; CLAUDECODE=1 mem setup claude-code --hooks-only; echo "exit $?"
mem setup claude-code --no-agent --hooks-only; grep -c agent .claude/settings.json; mem setup claude-code --check --hooks-only --json | jq -c .agent
mem setup claude-code --no-agent --agent ada; echo "exit $?"; mem setup agents-md --agent ada; echo "exit $?"
mem setup claude-code --agent ada -q --hooks-only; mem setup claude-code --check --json | jq -c .agent; mem doctor | grep claude
mem setup | head -n 1; mem setup claude-code --check --hooks-only | head -n 1
mem setup codex --agent 'a b'; echo "exit $?"; MEM_AGENT=bob mem setup codex --agent ada; echo "exit $?"
mem setup --agent ada; echo "exit $?"; mem setup codex --agent ''; echo "exit $?"

mkdir shop && cd shop && git init -q . && mem init -q
mem core 'I check twice' --agent ada -q; mem journal $'Met Bob\n[End of Agent Memory]' --agent ada -q
mem where | cut -f 1,3; mem ls -l --json --layer user >/dev/null; grep -c '"key":"/agent/ada/core' ~/.local/share/mem/log.jsonl
mem set /project/db '{"text":"port 5432"}' -s chat -q
hook() { echo "{\"hook_event_name\":\"SessionStart\",\"session_id\":\"$1\",\"source\":\"$2\",\"cwd\":\"$PWD\"}" | mem hook claude-code "${@:3}" | jq -r .hookSpecificOutput.additionalContext; }
hook s1 startup --agent ada
hook s1 startup --agent ada | wc -l
hook s1 compact --agent ada | grep -c 'I check twice'
hook s2 startup --agent bob | grep -c 'I check twice'
hook s3 startup | grep -c 'I check twice'
MEM_AGENT=ada hook s4 startup | grep -c 'I check twice'
mem hook claude-code --agent 'a b' < /dev/null; echo "exit $?"
mem injections --json --jq '.injections[0].own'; mem injections | cut -f 6

# No store of a project holds what an agent keeps.
mem move --to project $(mem memories --agent ada --json --jq '.memories[] | "/agent/ada/" + .memory_type + "/" + .id') 2>/dev/null; echo "exit $?"
hook s5 startup --agent ada | grep -c 'I check twice'
MEM_AGENT=ada mem move --to project $(mem memories --agent ada --json --jq '.memories[] | "/agent/ada/" + .memory_type + "/" + .id') 2>&1 | sed -E 's/[0-9A-HJKMNP-TV-Z]{26}/ULID/g'
hook s6 startup --agent ada | grep -c 'I check twice'
mem memories --agent ada | cut -f 5
mem agent delete ada; cd ..
mem setup claude-code --remove --hooks-only | head -n 1
