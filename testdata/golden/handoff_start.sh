# needs: git jq
# A handoff begins the next conversation of its receiver in the project, and nobody else's.
# served: no (it is about the hooks of two repositories)
git init -q shop; git init -q blog
start() { (cd $2; jq -cn --arg id "$3" --arg cwd "$PWD" '{hook_event_name: "SessionStart", source: "startup", session_id: $id, cwd: $cwd}' | mem hook claude-code --agent $1 | jq -r '.hookSpecificOutput.additionalContext // empty' | grep -i -e port -e parser -e seal); echo "-- $1 in $2"; }
cd shop; mem note 'The port is 8080' -q
mem handoff --session s1 --agent ada --to bob 'The parser is done; its tests are not.' -q; mem handoff --session s0 --agent ada --to bobby 'The parser waits.' -q; cd ..
start bob shop c1
start ada shop c2
start bob blog c3
# Of several sessions the newest comes.
cd shop; mem handoff --session s2 --agent ada --to bob 'The port parser is next.' --now 2026-02-22T10:00:01Z -q; cd ..; start bob shop c6; cd shop; mem forget /handoff/s2/bob --yes -q; cd ..
# A new one replaces it.
cd shop; mem handoff --session s1 --agent ada --to bob 'The parser and its tests are done.' -q; cd ..
start bob shop c4
cd shop; mem forget /handoff/s1/bob --yes -q; cd ..; start bob shop c5
