# What was said in a conversation is found by who looks for it, and never told by itself.
export MEM_ROOT=memory
mem set /session/s1 --force '{"text":"the session about tea"}' -s chat -q
mem set /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV --force '{"type":"finding","text":"tea at four"}' -s chat -q
mem set /session/s2/mem_01ARZ3NDEKTSV4RRFFQ69G5FAW --force '{"type":"decision","text":"no tea"}' -s chat -q
mem compact -q
mem set /session/s2/mem_01ARZ3NDEKTSV4RRFFQ69G5FAX --force '{"text":"tea once more"}' -s chat -q

# Looked for.
mem get /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV
mem ls -1; mem search tea; mem search tea --session s2; mem query .key
mem search --type decision

# A page has it only below its prefix.
mem read
mem read --query tea
mem read --prefix /sess
mem read --prefix /session
mem read --prefix /session/s1
mem read --session s2
mem read --session s2 --query tea
mem read --session s2 --prefix /user; echo "exit $?"
mem read --session a/b; echo "exit $?"
event='{"hook_event_name":"UserPromptSubmit","prompt":"tea at four","session_id":"s1","cwd":"."}'
echo "$event" | mem hook claude-code

# A file for a prompt has what a read has, a backup all.
mem export | wc -l
mem export --format memory-md | grep -c tea
mem export --format memory-md --prefix /session | grep -c tea
