# postgres: no (it moves logs)
# Envelopes of another store: they keep their time, and what was deleted stays deleted.
export MEM_ROOT=memory
mem --root other --now 2026-02-20T10:00:00Z set /a '{"from":"other"}' -s chat -q
mem --root other --now 2026-02-20T10:00:00Z set /b '{"from":"other"}' -s chat -q
mem --root other --now 2026-02-20T10:00:00Z rm /b -s chat
mem --now 2026-02-21T10:00:00Z set /a '{"from":"here"}' -s chat -q

# The newer write wins whoever brings it; a second import changes nothing.
mem set - < other/log.jsonl
mem set - < other/log.jsonl
mem query '[.key,.ts,.content]'
mem history /a
cmp <(tail -n 1 memory/log.jsonl) <(tail -n 1 other/log.jsonl) && echo 'byte for byte'

# What was voided here after that does not come back: not from an old file, ...
mem set /c '{"secret":1}' -s chat -q
cp memory/log.jsonl backup.jsonl
mem rm /c /a
mem set - < backup.jsonl
mem ls -1

# ... not after a compaction, not after a rotation, not for a new checkout without its derived files.
mem compact -q
mem set - < backup.jsonl
echo '{"rotate":{"lines":1,"bytes":1000000}}' > memory/config.json
mem compact
mem set - < backup.jsonl
rm -r memory/state.jsonl memory/checkpoint.json memory/watermark memory/index
mem set - < backup.jsonl
mem ls -1

# A record from the future is refused.
echo '{"key":"/f","ts":"2026-02-23T09:59:59Z","valid":true,"source":"chat","content":1}' | mem set -; echo "exit $?"
echo '{"key":"/f","ts":"2026-02-23T10:00:01Z","valid":true,"source":"chat","content":2}' | mem set -; echo "exit $?"

# A write after an imported one from later today still wins.
mem set /f 3 -s chat -q
mem query --prefix /f '[.ts,.content]'
