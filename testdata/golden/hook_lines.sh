# needs: jq git
# A line of a hook's block has what the verbs take: an id or a key; and how old the memory is, or of which day.
event() { jq -nc --arg d "$PWD" --arg e "$1" --arg p "$2" --arg s "$3" '{session_id:$s, cwd:$d, hook_event_name:$e, prompt:$p}'; }
hook() { event "$@" | mem hook claude-code | jq -r '.hookSpecificOutput.additionalContext'; }
git init -q shop && cd shop
at() { t=$1; shift; MEM_NOW=$t "$@"; }
at 2024-11-18T09:00:00Z mem set old/port --text 'The old port of the database was 3306' -s chat -q
at 2026-02-19T09:00:00Z mem note 'The database is PostgreSQL on port 5432' --tag infra -q
at 2026-02-21T23:30:00Z mem set project/db '{"type":"decision","text":"The database of the shop stays on one server"}' -s chat -q
at 2026-02-22T09:50:00Z mem note 'Answer in German' --scope user --tag preference -q
at 2026-02-22T09:59:30Z mem set 'project/a, b (c)' --text 'A key with signs, for the database too' -s chat -q
at 2026-02-22T09:59:30Z mem set /m-7 --text 'The database has a key like an id' -s chat -q
at 2026-02-22T09:59:30Z mem set web/page '{"text":"The database is said to be slow"}' --kind web --name blog --url https://example.org -q

# At a start the age, at a prompt the day: that stays right when the conversation is resumed.
hook SessionStart '' s1
hook UserPromptSubmit 'which port has the database of the shop?' s2
TZ=Asia/Tokyo hook UserPromptSubmit 'which port has the database of the shop?' s3 | grep project/db
hook SubagentStart '' s2 | sed -n 2,3p

# What stands on a line is taken as it is.
hook SessionStart '' s4 | sed -n 's/^(\(.*\), [0-9]*[smhd].*) .*/\1/p' > names
while read -r name; do mem get "$name" | cut -c 1-60; done < names
mem history m-1 | cut -f 2,4
mem forget u-1

# The page that mem read prints has the lines that it always had.
mem read | head -n 4

# An id that means two notes is no name: a second one came with an import.
echo '{"key":"/note/session/m-1","ts":"2026-02-01T10:00:00Z","content":{"type":"note","text":"another fact"},"source":"chat"}' | mem set - -q
hook SessionStart '' s5 | grep PostgreSQL
mem get m-1; echo "exit $?"
mem get note/workspace/m-1 | cut -c 1-60

# What a block had in it is not searched for, also where it was cut.
event UserPromptSubmit "$(hook SessionStart '' s6 | sed '/^.End of/d'; echo 'What is there?')" s7 | mem hook claude-code

# Nor is one that means a note of the user's store that hooks do not tell here.
cd .. && mem note 'A fact of no project' -q && mem ls -1; cd shop
CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=s8 mem note 'The plan of this conversation' --scope session --jq .id
mem forget m-2 2>&1; CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=s8 mem note 'The second plan of it' --scope session --jq .id
(cd .. && for i in 2 3 4; do mem note "Fact $i of no project" -q; done)
hook SessionStart '' s8 | grep -i plan
