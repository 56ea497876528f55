# needs: jq
# A11, cold recovery: all that is derived can go, and the next bundle is the same to the byte.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
seq 500 | jq -c '{session_id: "s\(. % 5)", kind: "message", actor: {type: "human", id: "user"}, content: {text: "note \(.) about the index and the log"}}' | mem event - -q > /dev/null
e=$(mem ls /event --jq .memories[0].key); mem decide 'The log is the truth' --ref $e -q > /dev/null; mem compact -q
mem bundle --session s1 --agent ada --query 'what is the log?' > warm
rm -r memory/cache memory/state.jsonl memory/checkpoint.json memory/index # files
rm -rf ~/.cache/mem
mem bundle --session s1 --agent ada --query 'what is the log?' | cmp - warm && echo same
mem set /a 1 -s x -q > /dev/null; mem rm /a -q; mem compact -q
ls memory/cache memory/index # files
mem bundle --session s1 --agent ada --query 'what is the log?' | cmp - warm && echo same
