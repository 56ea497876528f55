# needs: jq flock
# The log on stderr: with --json or from --log-level info on every record is a JSON line; else a warning is a line for people.
export MEM_ROOT=memory
one() { mem set "/k$1" '{"importance":1}' -s chat "${@:2}" > /dev/null; }
one 1; one 2 --json; one 3 --jq .key; one 4 --log-level info; one 5 --json --log-level error; one 6 --json -q; one 7 -q --log-level info
mem get /none --log-level loud; mem get /none --log-level info --now never

# A compaction says when it starts and ends, and how much smaller it is what readers go through.
mem compact --log-level info 2>&1 >/dev/null | jq -c '.metadata.duration_ms = (.metadata.duration_ms|type)' # files
mem compact --if-needed --log-level info; mem compact --dry-run --log-level info 2>&1 | grep -c level; mem compact # files

# The lock, taken and released.
mem set /k1 2 -s chat -q --log-level debug 2>&1 | jq -c '.metadata |= with_entries(.value |= type)' # files

# What a command fails with is told as its error, and where the log was asked for as a record too.
held() { flock memory/lock mem "$@" --lock-timeout 0s; echo "exit $?"; } # files
held note x; held note x --json; held note x --log-level info # files
mem get /none --log-level info; echo "exit $?"

# Damage is an error, in the log and for people.
echo '{"broken' >> memory/log.jsonl; echo '{"key":"/z","content":1,"source":"x"}' >> memory/log.jsonl # files
mem ls -1 | tail -n 1; mem ls -1 --log-level info 2>&1 >/dev/null; mem ls -1 --json --log-level error 2>&1 >/dev/null; mem ls -1 --log-level error | tail -n 1 # files
mem fsck --repair > /dev/null; mem note 'a secret token: ghp_0123456789abcdefghijABCDEFGHIJ012345' --json; echo "exit $?"
