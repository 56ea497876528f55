# needs: jq
# Writes that depend on what is there.
export MEM_ROOT=memory
mem set /lock '{"owner":"a"}' -s a --if-absent; echo "exit $?"
mem set /lock '{"owner":"b"}' -s b --if-absent; echo "exit $?"
mem set /lock '{"owner":"b"}' -s b --if-absent --json; echo "exit $?"
mem set /lock '{"owner":"b"}' -s b --if-absent -q 2>/dev/null | jq -r .content.owner

# Read, change, write: the ts of what was read is the condition.
ts=$(mem get /lock --jq .ts); echo "$ts"
mem set /lock '{"owner":"c"}' -s c --if-ts "$ts"; echo "exit $?"
mem set /lock '{"owner":"d"}' -s d --if-ts "$ts"; echo "exit $?"
mem get /lock

# The hint works as printed.
$(mem set /lock '{"owner":"d"}' -s d --if-ts "$ts" 2>&1 >/dev/null | sed -n 's/.*then write with \(--if-ts .*\)/mem set \/lock {"owner":"e"} -s e \1/p'); echo "exit $?"
mem get /lock

# Without a live memory: absent, voided, expired.
mem set /never 1 -s a --if-ts "$ts"; echo "exit $?"
mem rm /lock
mem set /lock 1 -s a --if-ts "$ts"; echo "exit $?"
mem set /lock 1 -s a --if-absent; echo "exit $?"
mem set /over '{"expired_at":"2026-02-22T09:00:00Z"}' -s a --if-absent -q; echo "exit $?"
mem set /over 2 -s a --if-absent -q; echo "exit $?"

# Voiding under a condition.
mem set /lock null -s a --if-ts 2026-02-22T00:00:00Z; echo "exit $?"
mem set /lock null -s a --if-ts "$(mem get /lock --jq .ts)"; echo "exit $?"
