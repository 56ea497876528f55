# postgres: no (it is about what a file system may have wrong)
# needs: jq flock
# fsck: dirty
# What mem doctor finds. Disk and free space are another on each machine, so a filter leaves them out.
mem() { PATH=${PATH%%:*} command mem "$@"; }
export MEM_ROOT=$PWD/memory
look() { mem doctor --json | jq -r '.findings[] | select(.what != "disk" and .what != "space") | [.level, .what, .message, .fix // "-"] | join(" | ")'; }

# No store and no client: nothing needs doing.
mem doctor; echo "exit $?"
mem set /a 1 -s chat
look

# A relative MEM_ROOT is another memory in each directory.
MEM_ROOT=memory look
MEM_ROOT=memory mem doctor --root memory -q; echo "exit $?"

# Wired, and asked once, which shows that its user has approved the hooks.
mem setup codex --quiet
look | tail -n 1
touch -d 2026-02-22T09:00:00Z .codex/hooks.json
echo '{"hook_event_name":"SessionStart","session_id":"s1","cwd":"."}' | mem hook codex > answer
echo '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":".","prompt":"zebra"}' | mem hook codex
look | tail -n 1
mem setup codex --quiet --root elsewhere
look | tail -n 1
sed -i 's/hook codex/hook --quiet codex/' .codex/hooks.json
look | tail -n 1
echo '{"hooks": 1}' > .codex/hooks.json
look | tail -n 1
rm -r .codex

# A hook that was too late in the last day.
echo '{"at":"2026-02-22T09:00:00.000000Z","client":"codex","conversation":"s1","event":"SessionStart","occasion":"start","memories":[],"tokens":0,"left_out":0,"missed":"no answer in time"}' >> memory/injections.jsonl
look | grep hooks; mem injections | tail -n 1
MEM_NOW=2026-02-24T10:00:00Z mem doctor | grep -c hooks
sed -i '$d' memory/injections.jsonl
mkdir .gemini
look | tail -n 1

# Wired, and switched off.
mkdir .claude && echo '{"disableAllHooks": true}' > .claude/settings.json
mem setup claude-code --quiet --hooks-only
look | grep claude
rm -r .claude

# A project that is wired as its user is.
mem setup gemini --quiet
mkdir -p project/.git && touch project/.git/HEAD
(cd project && mem setup gemini --project --quiet --hooks-only)
(cd project && mem --root ../memory doctor -q | grep gemini)
rm -r .gemini project

# What a crash leaves.
printf '{"key":"/x' >> memory/log.jsonl
look | grep -v '^ok'
flock memory/lock env PATH=${PATH%%:*} mem doctor -q | grep -v disk
mem fsck --repair
look | grep -v '^ok'
rm memory/watermark
echo '{"rotat' > memory/config.json
chmod 755 memory
mem doctor -q | grep -v disk; echo "exit ${PIPESTATUS[0]}"
rm memory/log.jsonl
mem doctor -q | grep log
echo > file
mem doctor --root file; echo "exit $?"
env -u HOME PATH=${PATH%%:*} mem --root memory doctor -q | grep setup

# A shell that does not find this mem, or another one first.
bin=${PATH%%:*}
mkdir at && ln -s "$bin/mem" at/other
PATH=/nowhere "$bin/mem" doctor --root new -q | grep path | sed "s:$bin:BIN:"
printf '#!/bin/sh\n' > at/mem && chmod +x at/mem
PATH=$HOME/at "$bin/mem" doctor --root new -q | grep path | sed "s:$bin:BIN:"
PATH=/nowhere "$bin/mem" setup agents-md -q | sed "s:$bin:BIN:g"
fix=$(PATH=/nowhere "$bin/mem" doctor --root new -q | grep path | sed 's/.*do: //')
(set +v; PATH=/usr/bin:/bin; eval "$fix"; type -P mem | sed "s:$bin:BIN:")
