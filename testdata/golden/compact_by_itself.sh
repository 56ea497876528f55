# postgres: no (it is about files that grow)
# needs: jq
# A write that finds much behind the checkpoint has a compaction begun, and does not wait for it.
lines() { seq "$1" "$2" | jq -c '{key: "/n/\(.)", content: {text: "a memory of about two hundred bytes, so that some thousands of them are worth a compaction"}, source: "seq"}'; }
settled() { for _ in $(seq 100); do test -e "$MEM_ROOT/checkpoint.json" && return; sleep 0.1; done; echo "not compacted"; }

export MEM_ROOT=memory
mkdir memory
echo '{"auto_compact": false}' > "$MEM_ROOT/config.json"
lines 1 11000 | mem set -
test -e "$MEM_ROOT/checkpoint.json" || echo "off: not compacted"
rm "$MEM_ROOT/config.json"
lines 11001 16000 | mem set -
settled
mem compact --if-needed
mem ls | wc -l
mem fsck
