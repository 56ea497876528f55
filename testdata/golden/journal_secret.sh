# What an agent keeps is told to nobody else: the word is in no answer but its own.
export MEM_ROOT=memory
mem journal 'the secret word is marzipan' --agent alice -q
mem core 'marzipan is who I am' --agent alice -q
mem set /user/tea '{"text":"green tea and cakes"}' -s chat -q
mem note 'cakes are fine' -q
key=$(MEM_AGENT=alice mem ls --keys /agent/alice/core)
sweep() {
	mem get $key; mem history $key; mem diff $key; mem ls; mem ls -l; mem ls /agent/alice
	mem read; mem read --query marzipan; mem read --prefix /agent; mem read --format notes --query marzipan
	mem search marzipan; mem search --prefix /agent/alice; mem search 'key:alice*'; mem search marzipan --relevant --why; mem search --references $key
	mem query .; mem query --history .; mem export; mem export --format memory-md; mem stat; mem stat --json
	mem log; mem log /agent/alice; mem audit --history; mem audit --duplicates; mem audit --unsourced; mem audit --stale 0; mem audit --expired
	mem notes; mem notes --query marzipan; mem forget --list; mem forget --grep marzipan --dry-run; mem forget --prefix /agent --all --dry-run
	mem injections --why; mem undo $key; mem touch $key; mem mv $key /x; mem merge $key --into /x
	mem agent list; mem __complete get /agent; mem doctor --json
	hooked SessionStart; hooked UserPromptSubmit; hooked SubagentStart
}
hooked() {
	for client in claude-code codex gemini; do
		echo "{\"hook_event_name\":\"$1\",\"session_id\":\"$RANDOM\",\"cwd\":\".\",\"prompt\":\"what of marzipan and cakes?\"}" | mem hook $client
	done
}
told() { sweep 2>&1 | grep -ci 'marzipan.*\(word\|who\)\|who I am\|secret word'; }
told; MEM_AGENT=bob told; test $(MEM_AGENT=alice told) -gt 10 && echo 'alice is told'
mem compact -q; told; MEM_AGENT=bob told
rm -rf memory/cache # files
rm -rf ~/.cache/mem
told; MEM_AGENT=bob told

# Its own agent gets it by name, in lists and searches, and in no page or hook but the one for it.
export MEM_AGENT=alice
mem get $key --jq .content.text; mem search marzipan | cut -f 4 | sort
mem read --query marzipan; mem read --prefix /agent; hooked SessionStart | grep -c marzipan
mem read --format private

# It deletes nothing of it, and brings nothing back; a person does, by the key alone.
ids() { sed 's/[0-9A-Z]\{26\}/ULID/g'; }
for flag in '' --purge --dry-run; do mem forget $key $flag 2>&1 | ids; echo "exit ${PIPESTATUS[0]}"; done
mem forget --grep marzipan --yes 2>&1; echo "exit $?"
mem undo $key 2>&1 | ids; mem rm $key --force 2>&1 | ids
mem set $key '{"text":"I am another"}' -s me --force 2>&1 | ids; mem touch $key --importance 0.1 2>&1 | ids; mem get $key --jq .content.text
mem export --all; echo "exit $?"; mem agent delete alice; echo "exit $?"
unset MEM_AGENT
mem forget $key --dry-run | ids
mem forget $key; mem forget --list | ids; MEM_AGENT=alice mem get $key 2>&1 | ids
MEM_AGENT=alice mem undo $key 2>&1 | ids; mem read --format private --agent alice
mem forget $key --purge --yes | head -n 2; MEM_AGENT=alice mem query --history .content | grep -c 'who I am' || true
grep -c 'who I am' memory/log.jsonl || true # files
