# needs: jq
# served: no (the name of a member counts in the sizes of sessions)
# Figures for monitoring: of sessions, and of what ran.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z USER=ada LOGNAME=ada
mem stat --metrics

# How long something took differs from run to run; that it is a number of milliseconds does not.
figures() { mem stat --metrics "$@" | jq -c 'with_entries(if .key | endswith("_ms") then .value |= [.count, (.p50 > 0 and .p50 <= .p95 and .p95 <= .p99)] else . end)'; }
mem session create; mem session create --id review_7
mem remember review_7 'The tests pass' --type finding --importance 0.1 --at 400d | sed 's/_.*//'
mem remember review_7 'Merge it' --type decision | sed 's/_.*//'
mem note 'of no session' -q
mem search tests --session review_7 --jq .count; mem read >/dev/null
figures
mem session show review_7 --jq .total_size_bytes

# A refusal is no write.
mem remember review_7 more --type wish 2>/dev/null; echo "exit $?"
figures

# Compactions of sessions, also of one that is deleted by now; mem compact is another thing.
mem session compact review_7; mem compact -q
mem session compact review_7 --now 2026-02-23T10:00:00Z; mem session close review_7; figures --json
mem session delete review_7; figures --jq .

# What is of no session is not counted.
mem set /user/x '"of no session"' -s chat -q
mem stat --metrics --jq '."memory.sessions.active", ."memory.entries.total"'
mem stat --metrics --jq '.['; echo "exit $?"; mem stat --metrics --agent ada; echo "exit $?"
wc -l < memory/ops.jsonl # files
figures; mem stat --metrics -q >/dev/null; figures
wc -l < memory/ops.jsonl # files
mem fsck
