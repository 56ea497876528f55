# postgres: no (it damages the log)
# A log that was deleted or shortened: reads say so, and a repair brings back what index/ has.
export MEM_ROOT=memory
mem set /project/db '"old"' -s chat -q
mem set /project/db '"new"' -s chat -q
mem set /project/api '"REST"' -s chat -q
event() { echo '{"session_id":"s'$1'","hook_event_name":"SessionStart","cwd":"/"}'; }
cp -R memory copy

rm memory/log.jsonl
mem ls; echo "exit $?"
mem search rest; echo "exit $?"
mem get project/db; echo "exit $?"
mem ls --json --jq .count
mem history project/db; echo "exit $?"
mem stat | grep health
mem stat -q --jq .log_fault
event 1 | mem hook claude-code
mem injections
mem doctor | grep 'log '
mem fsck; echo "exit $?"
mem fsck --repair
mem ls

# Cut within the last line.
rm -r memory; cp -R copy memory; mem fsck -q
mem set /project/db '"newer"' -s chat -q
truncate -s -20 memory/log.jsonl
mem get project/db
event 2 | mem hook claude-code | grep -c "db, 0s) new"
mem injections
mem doctor | grep -E 'line|index'
mem fsck
mem fsck --repair -q
mem get project/db

# Two layers: the warning names the one.
unset MEM_ROOT
mem note 'The user likes tea.' --scope user -q
rm .local/share/mem/log.jsonl
mem ls; mem fsck --repair -q; mem ls
