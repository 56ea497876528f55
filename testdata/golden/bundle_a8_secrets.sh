# needs: jq
# A8, secrets: every event is stored, and no secret is.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
# Put together here, so that this file has none in it.
t="ghp_""R7xkQ2mN9vLp4TzW8sYc3BfH6jD1gKe5aUoX"
for i in $(seq 50); do
  printf '{"session_id":"s1","kind":"message","actor":{"type":"human","id":"user"},"content":{"text":"push with %s, step %d"}}\n' $t $i
  printf '{"session_id":"s1","kind":"tool_result","actor":{"type":"tool","id":"sh"},"tags":["%s"],"content":{"tool":"sh","text":"GITHUB_TOKEN=%s\\nstep %d"}}\n' $t $t $i
done | mem event - > answers
wc -l < answers; jq -c .redacted answers | sort | uniq -c | sort -rn | head -4
grep -r "$t" memory | wc -l # files
mem search --prefix /event push --limit 1 --jq '.memories[].content.content.text'
# What is secret as a whole leaves no content; other verbs refuse.
mem event --session s1 --sensitivity secret --text 'the vault is behind the mirror' | ids
mem search --prefix /event mirror
grep -rc mirror memory/log.jsonl # files
mem query '.content | select(.sensitivity == "secret") | del(.actor)' --prefix /event
e=$(mem ls /event --jq .memories[0].key)
mem decide "use $t" --ref $e 2>&1 | sed 's/characters.*//'; echo "exit ${PIPESTATUS[0]}"
printf 'token: %s\n' $t | mem artifact add -; echo "exit $?"; mem artifact add - --sensitivity secret < answers; echo "exit $?"
for c in private team agent public; do mem bundle --session s1 --agent ada --channel $c --query "vault mirror token $t" --jq 'del(.provenance)' | grep -c -e mirror -e "$t"; done
mem fsck
