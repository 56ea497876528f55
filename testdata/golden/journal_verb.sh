# What an agent keeps for itself: a journal for about a week, a core for good.
# needs: jq
export MEM_ROOT=memory
ids() { sed -E 's/[0-9A-HJKMNP-TV-Z]{26}/ULID/g'; }
mem journal '  Ada prefers short answers  ' --agent ada
MEM_AGENT=ada mem core 'I check twice before I delete <& never in a hurry>'
printf '\n牙科 🦷\nsecond line\n\n' | mem journal - --agent ada --json
grep -o '"key":.*' memory/log.jsonl | ids | sed 's/,"checksum.*//' # files

# What is refused is said in words that a model reads, and by the exit code.
mem journal 'whose?'; echo "exit $?"
mem journal '   ' --agent ada; echo "exit $?"
mem core "$(printf 'x%.0s' {1..10001})" --agent ada; echo "exit $?"
mem core 'the password is hunter2-Xk9q' --agent ada; echo "exit $?"
mem core '' --json; echo "exit $?"
mem core ' ' --agent ada --json 2>/dev/null; echo "exit $?"
mem core ' ' --agent ada -q; echo "exit $?"
mem core 'the password is hunter2-Xk9q' --agent ada --json 2>/dev/null | jq -r .error
mem core 'the password is hunter2-Xk9q' --agent ada --allow-secret said-password -q; echo "exit $?"
head -c 2000000 /dev/zero | tr '\0' 'x' | mem core - --agent ada; echo "exit $?"

# Ten thousand characters are not too many, of any script.
mem core "$(printf '牙%.0s' {1..10000})" --agent big --jq '.content | length'

# Who an agent may be, and whose memory it may name.
mem core x --agent 'b o b'; echo "exit $?"
mem core x --agent ..; echo "exit $?"
mem core x --agent a/b; echo "exit $?"
MEM_AGENT=bob mem core x --agent ada; echo "exit $?"
mem core --agent ada; echo "exit $?"; mem journal a b --agent ada --json 2>/dev/null; mem core x --agent '' 2>/dev/null; mem core -q; echo "exit $?"
mem core x --agent 'b o b' --json 2>/dev/null | jq -r .error; printf 'a\xff' | mem core - --agent ada; echo "exit $?"
mem core @prompt.txt --agent ada
MEM_AGENT=bob mem core 'of bob' --agent bob
mem core 'case counts' --agent Ada -q; mem agent list

# Other verbs do not write there.
mem set /agent/ada/core/01ARZ3NDEKTSV4RRFFQ69G5FAV 1 -s chat; echo "exit $?"
printf '{"key":"/agent/ada/core/01ARZ3NDEKTSV4RRFFQ69G5FA%s","content":{"text":"old %s"}}\n' V v W w X x > old.jsonl
echo '{"key":"/fine","content":1}' >> old.jsonl
mem import old.jsonl; echo "exit $?"
mem import old.jsonl --force; echo "exit $?"

# What the tools are to a model is in the help, word for word.
mem journal --help | head -n 3; mem core --help | head -n 3
