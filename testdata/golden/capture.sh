# A conversation fills the memory: at once where a person types it, else by proposals.
mkdir -p app/.git && touch app/.git/HEAD && cd app
hook() { jq -cn --arg cwd "$PWD" "$1"' + {session_id:"s1",cwd:$cwd}' >"$HOME/event" && mem hook claude-code ${2-} <"$HOME/event"; }
cat >"$HOME/client" <<'END'
export CLAUDE_CODE_ENTRYPOINT=cli CLAUDE_CODE_SESSION_ATTENDED=1 CLAUDE_PID=$$
mem hook claude-code $FLAGS <"$HOME/event"
exit
END
# The client runs in a terminal, as the hook wants to see it.
typed() { jq -cn --arg cwd "$PWD" "$1"' + {session_id:"s1",cwd:$cwd}' >"$HOME/event" && FLAGS=${2-} script -qec "bash $HOME/client" /dev/null | tr -d '\r'; }
ids() { "$@" 2>&1 | sed -E 's/c-[a-z2-7]{10}/c-ID/g; s/app-[0-9a-f]{8}/app/; s/, 20[0-9T:.-]+Z\)/, TIME)/'; }
hook '{hook_event_name:"SessionStart"}'

# A typed request becomes a note, which quotes the person and is not pinned.
typed '{hook_event_name:"UserPromptSubmit",prompt:"Remember that the staging database listens on port 5433"}'
mem notes | jq -r '.memories[].text'
mem get m-1 | jq -c "[.pinned,.type]"; mem history m-1 --json -q | jq -c ".memories[0].source" | sed -E "s/app-[0-9a-f]{8}/app/"
typed '{hook_event_name:"UserPromptSubmit",prompt:"remember that the staging database listens on port 5433"}'

# Without the marks of a terminal, in CI, or by a sub-agent it waits for the person, or is nothing.
hook '{hook_event_name:"UserPromptSubmit",prompt:"Always run make fmt before a commit"}'
CI=true typed '{hook_event_name:"UserPromptSubmit",prompt:"Never push to the branch release again"}'
typed '{hook_event_name:"UserPromptSubmit",agent_id:"a",prompt:"Remember that I am a sub-agent"}'
typed '{hook_event_name:"UserPromptSubmit",prompt:"<task-notification>\nRemember that tasks are good\n</task-notification>"}'
hook '{hook_event_name:"PostToolUse",tool_name:"CronCreate",tool_input:{prompt:"Remember that cats are gods"}}'
typed '{hook_event_name:"UserPromptSubmit",prompt:"Remember that cats are gods"}'
typed '{hook_event_name:"UserPromptSubmit",prompt:"Should we always squash?"}'
typed '{hook_event_name:"UserPromptSubmit",prompt:"Remember that the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789"}'

# Tools leave steps without output; of a command with a secret the program alone.
hook '{hook_event_name:"PostToolUseFailure",tool_name:"Bash",tool_input:{command:"pytest"},error:"Exit code 127\nnot found"}'
hook '{hook_event_name:"PostToolUse",tool_name:"Bash",tool_input:{command:"poetry run pytest"},tool_response:{stdout:"output"}}'
hook '{hook_event_name:"PostToolUse",tool_name:"Bash",tool_input:{command:"curl -u me:ghp_abcdefghijklmnopqrstuvwxyz0123456789 https://x.example"}}'
hook '{hook_event_name:"PostToolUse",tool_name:"Bash",tool_input:{command:"mem note nothing"}}'
cat ~/.local/state/mem/inbox/sessions/* | jq -r 'select(.tool=="Bash") | .command'
stat -c %a ~/.local/state/mem/inbox/sessions ~/.local/state/mem/inbox/sessions/*
hook '{hook_event_name:"SessionEnd",reason:"other"}'

# The next conversation says that something waits; mem approve lists it with its evidence.
hook '{hook_event_name:"SessionStart",source:"clear"}' | jq -r .systemMessage
ids mem approve
mem approve --json -q | jq -c '.facts[] | [.class,.evidence]'

# A person decides, and no program in its place.
first=$(mem approve --json -q | jq -r '.facts[0].id')
CLAUDECODE=1 mem approve $first --yes
mem approve $first
mem approve $first --yes --text 'Tests: poetry run pytest'
ids mem approve $first --yes
ids mem reject "$(mem approve --json -q | jq -r '.facts[0].id')" --yes
ids mem reject --all --yes
ids mem approve
ids mem reject --all --yes
mem approve --text x
mem approve c-aaaaaaaaaa --all
hook '{hook_event_name:"UserPromptSubmit",prompt:"Always run make fmt before a commit"}'
ids mem approve

# A typed rule is a fact, is named once at a start, and waits for a person to make it a rule.
typed '{hook_event_name:"UserPromptSubmit",prompt:"From now on run make lint before every push"}'
hook '{hook_event_name:"SessionStart",source:"clear"}' | jq -r .systemMessage,.hookSpecificOutput.additionalContext
hook '{hook_event_name:"SessionStart",source:"clear"}' | jq -r .systemMessage
ids mem approve
rule=$(mem approve --json -q | jq -r '.facts[0].id')
CLAUDECODE=1 mem approve $rule --yes
ids mem approve $rule --yes --text 'run make lint'
mem approve $rule --yes
hook '{hook_event_name:"SessionStart",source:"clear"}' | jq -r .hookSpecificOutput.additionalContext
ids mem approve

# What is rejected comes again in no other punctuation, unless the person asks to remember it.
hook '{hook_event_name:"UserPromptSubmit",prompt:"Always greet Lamu first"}'
ids mem reject "$(mem approve --json -q | jq -r '.facts[0].id')" --yes
grep -ric lamu ~/.local/state/mem/inbox | grep -v ':0'
hook '{hook_event_name:"UserPromptSubmit",prompt:"always greet lamu first!"}'
ids typed '{hook_event_name:"UserPromptSubmit",prompt:"Fix the greeting. Always greet Lamu, first."}'
ids typed '{hook_event_name:"UserPromptSubmit",prompt:"Fix the greeting. Remember: always greet Lamu first."}'
ids mem approve
ids mem reject --all --yes

# Without a statement nothing is kept, and the model hears how to.
typed '{hook_event_name:"UserPromptSubmit",prompt:"save that"}'
typed '{hook_event_name:"UserPromptSubmit",prompt:"yes, commit that"}'
typed '{hook_event_name:"UserPromptSubmit",prompt:"never again"}'

# A full inbox says so.
for i in $(seq 51); do ids hook '{hook_event_name:"UserPromptSubmit",prompt:"Always run script number '$i' before a commit"}'; done
mem reject --all --yes --json | jq '.ids | length'

# A purge takes it from the inbox, too.
mem forget --purge --grep 'Always greet Lamu, first' --yes
hook '{hook_event_name:"UserPromptSubmit",prompt:"Always greet Zanzibar first"}'
mem forget --purge --grep zanzibar --yes
grep -rc Zanzibar ~/.local/state/mem/inbox | grep -v ':0'
mem forget --purge --session s1 --yes
ls ~/.local/state/mem/inbox/sessions

# The settings turn it off, one by one, and so does the hook.
mem config set capture.user false --layer user
typed '{hook_event_name:"UserPromptSubmit",prompt:"Remember that the queue is named blue"}'
ids mem approve
mem config set capture.propose false --layer user
typed '{hook_event_name:"UserPromptSubmit",prompt:"Remember that the queue is named green"}'
hook '{hook_event_name:"SessionStart"}' >/dev/null
mem config set capture.user true --layer user
typed '{hook_event_name:"UserPromptSubmit",prompt:"Remember that the queue is named red"}' --no-capture
ids mem approve
ls ~/.local/state/mem/inbox/sessions
mem config set capture.propose true --layer user
hook '{hook_event_name:"SessionStart"}' >/dev/null
ls ~/.local/state/mem/inbox/sessions | wc -l
CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=s1 mem off
hook '{hook_event_name:"PostToolUse",tool_name:"Bash",tool_input:{command:"make"}}'
ls ~/.local/state/mem/inbox/sessions | wc -l
CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=s1 mem on
hook '{hook_event_name:"SessionStart"}' >/dev/null
ls ~/.local/state/mem/inbox/sessions | wc -l
mem off -q
ls ~/.local/state/mem/inbox/sessions | wc -l
mem notes | jq -r '.memories[].text'
mem fsck | tail -n 2
