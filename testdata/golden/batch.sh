# Many writes at once: a JSON object on each line.
export MEM_ROOT=memory
cat > notes.jsonl <<'EOF'
{"key":"/n/1","content":{"text":"one"},"source":"import"}

{"content":"二","key":"/n/2","source":{"kind":"user","name":"chat"}}
{"key":"/n/1","content":{"text":"one again"},"source":"import"}
{"key":"/n/3","content":3}
{"key":"/n/2","content":null,"source":"import"}
EOF
mem set - --source 'for those without' < notes.jsonl
mem ls
mem history /n/1
mem query '[.key,.source]'
mem set - < /dev/null

# Windows line ends, a byte order mark, no last newline.
printf '\xef\xbb\xbf{"key":"/crlf","content":1}\r\n{"key":"/last","content":2}' | mem set - -s chat
mem ls -1 /crlf; mem get /last

# A batch that was stopped is resumed: what its key holds already is left out.
printf '%s\n' '{"key":"/last","content":2}' '{"key":"/crlf","content":2}' | mem set - -s chat --resume
printf '%s\n' '{"key":"/last","content":2}' | mem set - -s other --resume
mem set /last 2 -s chat --resume; echo "exit $?"

# One bad line: every fault is named, and nothing is written.
cat > bad.jsonl <<'EOF'
{"key":"/good","content":1,"source":"chat"}
{"key":"/half","content":
no JSON
[1,2]
{"content":1,"source":"chat"}
{"key":"no/slash","content":1,"source":"chat"}
{"key":5,"content":1,"source":"chat"}
{"key":"/a","source":"chat"}
{"key":"/a","content":1}
{"key":"/a","content":1,"source":7}
{"key":"/kb/a","content":1,"source":"chat"}
{"key":"/a","content":1,"source":"chat","ts":"yesterday"}
{"key":"/a","content":1,"content":2,"source":"chat"}
EOF
mem set - < bad.jsonl; echo "exit $?"
mem get /good; echo "exit $?"
mem set - --json < bad.jsonl; echo "exit $?"

# The good lines all the same.
mem set - --keep-going < bad.jsonl; echo "exit $?"
mem get /good
mem set - --keep-going --json --quiet < bad.jsonl 2>/dev/null; echo "exit $?"
printf '%s\n' '{"key":"/kb/b","content":1,"source":"chat"}' '{"key":"/b","content":1,"source":"chat"}' | mem set - --on-untrusted quarantine
mem ls -1 /untrusted
