# needs: curl
# A token belongs to a member of the team: what it writes carries the name, whatever a request says.
mem serve --root r --listen 127.0.0.1:0 2> log &
until curl -s --unix-socket r/memd.sock http://mem/healthz > ready; do sleep 0.1; done
at=http://$(grep -oE 'tcp:[0-9.:]+' log | cut -c 5-)
add() { mem token add --yes t1 "${@:2}" --root r -q > $1.token; echo "$at $(cat $1.token)" > $1.login; }
add ada --agent bot --member ada
add bob --agent bot --member bob
add eve --person --member eve
add old --agent gus
mem token list --root r | sed -E 's/tok_[0-9A-Z]+/tok_ID/'
mem token add --yes t1 --agent bot --member 'a b' --root r
as() { MEM_ROOT=$at/t1 MEM_TOKEN_FILE=$1.login mem "${@:2}"; }
ask() { curl -s -H "Authorization: Bearer $(cat $1.token)" "$at$2" "${@:3}"; }
whose() { mem --root r/tenants/t1 history "$1" | cut -f 2,3; }

# By a route, by a verb and by a tool, with names of their own.
ask ada /api/v1/memories/project/port -X PUT -d '{"content":{"text":"8080"},"source":{"kind":"agent","name":"x","member":"bob"}}' > out
as bob set /project/port --text 9090 -s '{"kind":"agent","name":"x","MEM-BER":"ada"}' -q
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mem_set","arguments":{"key":"/project/port","text":"7070","source":{"kind":"agent","name":"x"}}}}' | as ada mcp --tools core > out
as eve touch /project/port --importance 0.9 -q
as old forget /project/port -q
whose /project/port
as bob undo /project/port
whose /project/port | head -n 1
as ada ls -l /project | tr -s ' '

# Notes, events and tasks, too; over the socket nobody has a name.
curl -s --unix-socket r/memd.sock -X PUT http://mem/api/v1/memories/project/socket -d '{"tenant_id":"t1","content":1,"source":{"kind":"agent","name":"x","member":"bob"}}' > out
as ada note 'the build uses make' -q
ask ada /api/v1/events -d '{"session_id":"s1","kind":"message","actor":{"type":"human","id":"u"},"content":{"text":"hello"}}' > out
as bob task 'write the letter' -q > out
mem --root r/tenants/t1 export --jq '"\(.key | split("/")[1]) \(.source.member)"' | sort

# Each takes back their own last command.
as ada set /project/now --text x -s chat -q
as bob set /project/later --text x -s chat -q
as ada undo --last | sed -E 's/2026[^ ]+/TIME/'
whose /project/now
kill %1
wait %1
