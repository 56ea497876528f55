# needs: jq flock
# postgres: no (it holds the lock of files, and damages the log)
# Figures for monitoring: of locks that were not had, and of lines that cannot be read.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z USER=ada LOGNAME=ada
# How long something took differs from run to run; that it is a number of milliseconds does not.
figures() { mem stat --metrics "$@" | jq -c 'with_entries(if .key | endswith("_ms") then .value |= [.count, (.p50 > 0 and .p50 <= .p95 and .p95 <= .p99)] else . end)'; }
mem session create; mem session create --id review_7
mem remember review_7 'The tests pass' --type finding --importance 0.1 --at 400d | sed 's/_.*//'
mem remember review_7 'Merge it' --type decision | sed 's/_.*//'
mem note 'of no session' -q
mem search tests --session review_7 --jq .count; mem read >/dev/null

# A lock that was not had; a refusal is neither a write nor that.
flock memory/lock mem remember review_7 more --type finding --lock-timeout 0 2>/dev/null; echo "exit $?"
flock memory/lock mem rm /note/workspace/m-1 --lock-timeout 0 2>/dev/null; echo "exit $?"
mem remember review_7 more --type wish 2>/dev/null; echo "exit $?"
tail -n 3 memory/ops.jsonl | jq -c '[.op, .code]'
figures

# Lines of sessions that cannot be read; mem stat counts all that are damaged.
mem set /user/x '"of no session"' -s chat -q
cp -r memory spoilt; sed -i 's/Merge it/Merge us/; s/of no/if no/' spoilt/log.jsonl
mem --root spoilt stat --metrics --jq '."memory.errors.corruption.count"'; rm -r spoilt
mem fsck
