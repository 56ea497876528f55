# postgres: no (it reads ops.jsonl)
# needs: jq
# What ran: key, ts, valid and a summary of the source of every write; compactions and reads too.
export MEM_ROOT=memory
mem set /k 1 -s chat -q
mem set /k null --kind agent --name tidy --locator '{"reason":"done"}'
mem set /kb/x 1 -s chat; echo "exit $?"
mem set /k 2 --kind user --name Ada -q
mem read >/dev/null
mem compact -q
mem fsck -q
printf '%s\n' '{"key":"/b/1","content":1}' '{"key":"/k","content":null}' '{"key":"/b/2","content":2,"source":{"kind":"agent","name":"tidy"}}' | mem set - -s batch -q
mem compact -q
mem rm /b/1
jq -c '[.op,.first,.key,.ts,.valid,.source,.count,.error]' memory/ops.jsonl

# Where nothing can be recorded, or cached, that is no failure; --log-level debug says it. A
# compaction fails: without its lock two could run at once.
mv memory/ops.jsonl memory/cache .; mkdir memory/ops.jsonl; touch memory/cache
mem set /k 3 -s chat -q --log-level debug 2>&1 | jq -r .message
mem compact; echo "exit $?"
mem get /k --quiet
rm -r memory/ops.jsonl memory/cache; mv ops.jsonl cache memory

# Losing it harms nothing.
rm memory/ops.jsonl; mem get /k; mem fsck
