# A start has the facts about the whole before routine, and one line for the rest of a kind, whose
# search finds the rest.
# needs: jq
mem config set inject.start_tokens 300 -q
for i in $(seq 60); do echo "{\"key\":\"/project/fix/$i\",\"source\":\"chat\",\"content\":{\"type\":\"fix\",\"text\":\"Fixed flaky widget $i by waiting\"}}"; done | mem set - -q
mem set /project/layout '{"type":"architecture","text":"Three parts: api, web and widgets"}' -s chat -q
mem task 'Repair the tenant switch' >/dev/null
mem task "$(mem task 'Rename the kit')" --status done >/dev/null
echo '{"hook_event_name":"SessionStart","session_id":"s1","source":"startup"}' | mem hook claude-code | jq -r .hookSpecificOutput.additionalContext > block
sed -E 's/task_[0-9A-Z]+/task_ID/; s/, [0-9]+s\)/, AGE)/' block
search=$(grep -o 'mem search "fixed.*' block); eval "$search --limit 100 --json" | jq -r '.memories[].key' | grep /fix/ | sort > found; wc -l < found
mem injections --json --jq '.injections[0].memories[].key' | sort > injected; comm -23 found injected | wc -l
