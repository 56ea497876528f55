# needs: jq
# Plain lines and envelopes: what is there already is left alone.
# served: no (the source of an import names no path there)
export MEM_ROOT=memory
cat > notes.jsonl <<'EOF'
{"key":"/n/1","content":{"text":"an earlier line of this key"}}
{"key":"/n/1","content":{"text":"one"}}
{"key":"/n/2","content":{"type":"note","text":"二"},"source":"chat with Ada"}
{"key":"/n/none","content":null}
EOF
mem import notes.jsonl --dry-run; mem ls
ls memory; echo "exit $?" # files
mem import notes.jsonl
mem import notes.jsonl
mem query '[.key,.source]'

# The order of members and the spelling of letters change nothing; another source does, where the line names one.
echo '{"content":{"text":"\u4e8c","type":"note"},"key":"/n/2","source":"chat with Ada"}' | mem import -
echo '{"content":{"text":"二","type":"note"},"key":"/n/2","source":"chat with Bob"}' | mem import - --dry-run
echo '{"content":{"text":"二","type":"note"},"key":"/n/2","source":"chat with Bob"}' | mem import -
echo '{"content":{"text":"二","type":"note"},"key":"/n/2"}' | mem import - --json
echo '{"content":null,"key":"/n/2"}' | mem import -; mem get /n/2; echo "exit $?"
mem import notes.jsonl --prefix /team/a; mem ls -1

# Envelopes of another store keep their time, and nothing deleted comes back.
mem --root other --now 2026-02-20T10:00:00Z set /a '{"from":"other"}' -s chat -q
mem --root other --now 2026-02-20T10:00:00Z set /b '{"from":"other"}' -s chat -q
mem --root other export > other.jsonl
mem import other.jsonl --dry-run; mem import other.jsonl; mem import other.jsonl
mem rm /b
mem import other.jsonl --dry-run; mem import other.jsonl; mem ls -1 /b
mem query --prefix /a .ts
mem import - < /dev/null
mem import other.jsonl -q; mem import other.jsonl --jq .unchanged

# Only what it would do: no line of the journal says that something was written.
jq -c 'select(.op=="import")|[.op,.count]' memory/ops.jsonl # files
