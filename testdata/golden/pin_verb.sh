# needs: git jq
# What is pinned comes first at every start, and makes no room for others.
export MEM_ROOT=memory
mem config set memory.max_total 4 -q; mem config set inject.start_tokens 160 -q
start() { echo '{"hook_event_name":"SessionStart","session_id":"'$1'","source":"startup"}' | mem hook claude-code | jq -r .hookSpecificOutput.additionalContext; }
mem note 'Never push to main' --pin
mem note 'Answer in French' --tag preference --importance 9
for n in 1 2 3 4; do mem note "fact number $n of the garden, and a little more"; done
mem set /project/release --text 'Releases have a changelog' --pin -s chat -q
start a
mem ls --pinned
mem pin m-6 project/release; mem pin m-6
mem unpin m-6 m-2
mem pin m-99; echo "exit $?"
mem pin /none; echo "exit $?"
mem pin; echo "exit $?"

# What has no room is counted; where all is pinned no more is noted, but for what replaces one.
for n in 1 2 3 4 5 6; do mem set /rule/$n '{"type":"rule","text":"rule number '$n' of this house, which is long enough"}' -s chat -q; done
start b
mem pin m-5 m-6 -q
mem note 'no room'; echo "exit $?"
mem note 'Never push to main or release' --replaces m-1
mem get m-1; echo "exit $?"; mem pin m-1; echo "exit $?"
mem ls --pinned --sort importance -1
mem fsck

# In a store inside a repository a pin comes first in its own part, and a type is nothing.
unset MEM_ROOT; git init -q app; cd app; mkdir .mem
mem trust --yes -q 2> /dev/null
mem set /project/a '{"type":"rule","text":"a rule of whoever wrote it"}' -s chat -q
mem set /project/b '{"text":"pinned by whoever wrote it","pinned":true}' -s chat -q
for n in 1 2 3; do mem set /project/fact$n --text "fact $n" -s chat -q; done
mem set /user/style '{"type":"preference","text":"tabs"}' -s chat -q
start c
mem ls --pinned
