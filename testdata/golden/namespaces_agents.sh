# What an agent keeps for itself is there for that agent alone, and in a person's backup.
export MEM_ROOT=memory
ada=/agent/ada/journal/01ARZ3NDEKTSV4RRFFQ69G5FAV
bob=/agent/bob/core/01ARZ3NDEKTSV4RRFFQ69G5FAW
mem set /user/tea '{"text":"green tea"}' -s chat -q
mem set /agent/bob/notes '{"text":"tea of bob, for everybody"}' -s chat -q
mem set --force $ada '{"text":"tea is what I think of"}' -s chat -q
mem set --force $bob '{"text":"tea is what I am"}' -s chat -q

all() {
	mem get $ada; echo "exit $?"
	mem get $bob; echo "exit $?"
	mem history $bob | wc -l
	mem ls -1
	mem read
	mem read --query tea
	mem search tea
	mem query .key
	mem query --history .key
	mem export --quiet | cut -d, -f1
	mem __complete get /agent 2>/dev/null
	mem stat | grep live
}
echo "# nobody"; all
mem compact -q
echo "# nobody, compacted"; all
export MEM_AGENT=ada
echo "# ada"; all
export MEM_AGENT=eve

# To others it is as a key that was never written.
mem get $ada; mem get /agent/ada/journal/01ARZ3NDEKTSV4RRFFQ69G5FAX
mem history $ada; echo "exit $?"
mem rm $ada; echo "exit $?"; mem rm --force $ada; echo "exit $?"
mem rm --force /agent/ada/journal/01ARZ3NDEKTSV4RRFFQ69G5FAX; echo "exit $?"
mem export > backup.jsonl; wc -l < backup.jsonl
mem export --all; echo "exit $?"
MEM_AGENT= mem export --all > backup.jsonl; wc -l < backup.jsonl
MEM_AGENT= mem export --all --quiet --out all.jsonl; mem export --out some.jsonl --json
mem stat --json --jq '[.live,.private]'

# No hook tells an agent its own, but one that was wired for it, in a part for itself.
told() { echo "{\"hook_event_name\":\"SessionStart\",\"source\":\"startup\",\"session_id\":\"$1\",\"cwd\":\".\"}" | mem hook claude-code | grep -o 'agent/[a-z/]*'; }
MEM_AGENT=ada told s1
MEM_AGENT=claude-code told s2
unset MEM_AGENT
told s3
wired() { echo "{\"hook_event_name\":\"SessionStart\",\"source\":\"startup\",\"session_id\":\"$1\",\"cwd\":\".\"}" | mem hook claude-code --agent $2; }
wired s4 ada; wired s5 eve
MEM_AGENT=eve wired s6 ada

# Nobody writes over it by a rename or a merge, nor sees it then.
export MEM_AGENT=eve
mem set /x '{"text":"x"}' -s chat -q; mem set /y '{"text":"y"}' -s chat -q
mem mv /x $ada; echo "exit $?"; mem mv /x $ada --force; echo "exit $?"
mem merge /x /y --into $ada --force; echo "exit $?"; mem merge /x /y --into $ada --force --json; echo "exit $?"
mem touch $ada --tag x; mem undo $ada; mem edit $ada; mem supersede $ada /x; mem supersede /x $ada; echo "exit $?"
mem ls
# A set may: a person brings a backup back.
mem set --force $ada '{"text":"for ada"}' -s chat
mem set --force $ada '{"text":"for ada"}' -s chat --if-absent; echo "exit $?"
MEM_AGENT=ada mem set --force $ada '{"text":"by ada"}' -s chat -q
unset MEM_AGENT
mem set --force $ada '{"text":"for ada, again"}' -s chat
printf '{"key":"%s","content":%s}\n' $ada 1 $bob 2 $bob 3 /agent/bob/notes 4 | mem set - --force -s chat
mem import backup.jsonl; echo "exit $?"
mem import backup.jsonl --force; echo "exit $?"
