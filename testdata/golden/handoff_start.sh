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
# Where other people get the project's store the handoff lies in the user's, and begins no other project.
git init -q team; git init -q other/team; (cd team; mem init --shared --yes -q); (cd other/team; mem init --shared --yes -q)
cd team; mem handoff --session s1 --agent ada --to bob 'The team parser is half done.' -q; cd ..
start bob team c7; start ada team c8; start bob other/team c9; start bob shop c10
# Another clone of one origin is the same project.
git -C team remote add origin https://example.com/team.git; git clone -q team clone; git -C clone remote set-url origin https://example.com/team.git
cd clone; mem init --shared --yes -q; cd ../team; mem handoff --session s1 --agent ada --to bob 'The team parser is done.' -q; cd ..
start bob clone c11
