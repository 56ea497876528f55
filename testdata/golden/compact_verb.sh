# postgres: no (it is about the files that a compaction writes)
# needs: jq
# Folding the log.
export MEM_ROOT=memory
mem compact; echo "exit $?"
for n in 1 2 3; do mem set /n "$n" -s chat -q; done
mem set /gone 1 -s chat -q
mem set /gone null -s chat
mem set /over '{"text":"x","expired_at":"2026-02-22T09:00:00Z"}' -s chat -q
mem compact --dry-run
ls memory
mem compact --if-needed
mem compact
jq -c '[.key,.content]' memory/state.jsonl
jq -c '[.lines,.keys,.max_ts,.written]' memory/checkpoint.json
find memory/index -type f
mem compact
mem compact --if-needed --quiet; echo "exit $?"

# Expired memories stay where they are asked to.
mem set /over '{"text":"x","expired_at":"2026-02-22T09:00:00Z"}' -s chat -q
mem compact --keep-expired --json
jq -c .key memory/state.jsonl

# A long log moves to archive/, and is still there for grep; two on one day do not clash.
echo '{"rotate":{"lines":2,"bytes":1000000}}' > memory/config.json
mem compact
mem set /later 1 -s chat -q; mem set /later 2 -s chat -q; mem set /later 3 -s chat -q
mem compact --if-needed
ls memory/archive
wc -l memory/log.jsonl
grep -h '"/later"' memory/archive/* | wc -l
mem get /later; mem get /n
mem compact extra; echo "exit $?"
