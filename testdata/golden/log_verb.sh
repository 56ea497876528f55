# What was stored, newest first.
# needs: jq git
export MEM_ROOT=memory
mem set /user/name '{"text":"Ada"}' -s chat -q
mem --now 2026-02-23T10:00:00Z set /project/db '{"summary":"port 5432"}' --kind agent --name dream -q
mem --now 2026-02-24T10:00:00Z rm /user/name
mem config set rotate.lines 2 -q; mem config set rotate.bytes 1000000 -q # files
mem compact -q
ls memory/archive # files
mem --now 2026-02-24T11:00:00Z set /project/db '{"summary":"port 5433"}' -s chat -q
export MEM_NOW=2026-02-25T10:00:00Z
mem log; mem log /project; mem log --since 1d; mem log --since 2026-02-24T10:30:00Z | cut -f 2
mem log --limit 1; mem log --limit 2 -q | wc -l
mem log --json --limit 1; mem log --jq '.memories[] | select(.valid|not) | .key'
mem log | grep -c void; mem log | sort -k 2 -t "$(printf '\t')" | head -n 1
mem log /none; mem log --limit -1; mem log --since soon; mem log project; echo "exit $?"

# Both layers in one order.
unset MEM_ROOT; git init -q app && cd app
mem set /user/lang 1 -s chat -q; mem set /project/x 2 -s chat -q; mem set /user/lang 3 -s chat -q
mem log
