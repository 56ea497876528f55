# needs: jq
# postgres: no (it adds a line to the record by hand)
# What conversations of a project were told, and by a mem that named none.
export MEM_ROOT=memory
mem cost; echo "exit $?"
mem note 'The database is PostgreSQL on port 5432' --tag infra -q
mem cost; echo "exit $?"
hook() { jq -nc --arg s "$2" --arg p "$3" '{session_id:$s, cwd:".", hook_event_name:(if $p == "" then "SessionStart" else "UserPromptSubmit" end), prompt:$p}' | mem hook $1 > /dev/null; }
MEM_NOW=2026-02-20T23:30:00Z hook claude-code s1
MEM_NOW=2026-02-21T10:00:00Z hook codex s2
MEM_NOW=2026-02-22T09:00:00Z hook codex s3 'Which port has the database?'
MEM_NOW=2026-02-22T09:30:00Z hook codex s3 'ok, go on'

# A record of before has no project; one of a project names it.
echo '{"at":"2026-02-22T09:40:00.000000Z","client":"codex","conversation":"s4","project":"shop","event":"SessionStart","occasion":"start","memories":[],"tokens":500,"left_out":0}' >> memory/injections.jsonl
mem cost
mem cost --by client
mem cost --by project
mem cost --by conversation -q
mem cost --by day,client -q
TZ=Asia/Tokyo mem cost -q
mem cost --since 1d
mem cost --since 2026-02-22T09:50:00Z; echo "exit $?"
mem cost --by project --json
mem cost --since 1m --json
mem cost --jq .total.tokens

# No key and no text is in it.
mem cost --by conversation --json | grep -c -e note -e PostgreSQL

# What is no dimension, or no time.
mem cost --by week; echo "exit $?"
mem cost --by ''; echo "exit $?"
mem cost --since soon; echo "exit $?"
mem cost shop; echo "exit $?"
