# What lies in an agent's journal or core and is no entry would be told to everybody: nothing new goes there.
export MEM_ROOT=memory
for key in /agent/bob/journal/foo /agent/bob/core /agent/bob/core/01ARZ3NDEKTSV4RRFFQ69G5FAV/x; do
	mem set $key --text 'only for bob' -s chat; echo "exit $?"
done
MEM_AGENT=bob mem set /agent/bob/journal/foo --text 'only for me' -s chat --force; echo "exit $?"
mem set /a --text x -s chat -q; mem mv /a /agent/bob/core/x; echo "exit $?"
mem set /agent/bob/profile --text 'bob reviews' -s chat -q && mem ls

# What another store has comes in, and may be replaced and deleted there.
echo '{"key":"/agent/bob/journal/foo","ts":"2026-02-22T09:00:00Z","content":{"text":"old"},"source":"x"}' | mem import - -q; echo "exit $?"
mem set /agent/bob/journal/foo --text new -s chat -q && mem rm /agent/bob/journal/foo -q; echo "exit $?"
mem fsck
