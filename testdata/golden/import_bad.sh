# What is refused: every fault is named, and nothing is written.
# served: no (it imports a folder)
export MEM_ROOT=memory
cat > bad.jsonl <<'EOF'
{"key":"/good","content":1}
no JSON
{"key":"no/slash","content":1}
{"key":"/kb/a","content":1,"source":"chat"}
{"key":"/t","content":{"text":"password: hunter2"}}
{"key":"/t","content":1,"ts":"2027-01-01T00:00:00Z","source":"chat"}
EOF
mem import bad.jsonl; echo "exit $?"; mem ls
ls memory; echo "exit $?" # files
mem import bad.jsonl --json; echo "exit $?"
mem import bad.jsonl --keep-going --dry-run; echo "exit $?"; mem ls
ls memory; echo "exit $?" # files
mem import bad.jsonl --keep-going; echo "exit $?"
mem import bad.jsonl --keep-going --on-untrusted quarantine; mem import bad.jsonl --keep-going --on-untrusted quarantine -q 2> /dev/null; echo "exit $?"
mem ls -1 /; mem ls -1 /untrusted

# A file of another kind is told in one line, unless its format is named.
yes 'no JSON' | head -n 3000 > many; mem import many; echo "exit $?"
printf 'dear diary\n\ntoday\n' > diary.txt; mem import diary.txt --json; echo "exit $?"
mem import diary.txt --format jsonl; echo "exit $?"
mem import - --keep-going < diary.txt; echo "exit $?"

# A graph with faults.
cat > bad-graph.jsonl <<'EOF'
{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}
{"type":"entity","entityType":"person","observations":[]}
{"type":"entity","name":7,"observations":[]}
{"type":"entity","name":"Bob","observations":"one"}
{"type":"relation","from":"Ada","relationType":"knows"}
{"type":"thing"}
[]
{"type":"entity","name":"Ada","observations":["the password: hunter2"]}
EOF
mem import bad-graph.jsonl; echo "exit $?"
mem import bad-graph.jsonl --keep-going; echo "exit $?"

# A folder with faults: a file that is too large, that is no text, that is none of mem's after all, or a link, is refused by name.
mkdir folder
head -c 1100000 /dev/zero | tr '\0' x > folder/large.md
head -c 2100000 /dev/zero | tr '\0' x > folder/larger.md
printf 'caf\xe9\n' > folder/latin1.md
printf -- '---\nmem: {"key":"no/slash"}\n---\n' > folder/key.md
printf -- '---\nmem: {"no":"key"}\n---\n' > folder/nokey.md
printf -- '---\nmem: {"key"\n---\n' > folder/nojson.md
printf -- '---\nmem: {"key":"/claude/one"}\n---\n\nanother text\n' > folder/twice.md
printf 'the token: swordfish9\n' > folder/secret.md
printf 'one\n' > folder/one.md
ln -s /etc/passwd folder/link.md
mkfifo folder/fifo.md
mem import folder; echo "exit $?"
mem import folder --keep-going 2> /dev/null; echo "exit $?"
mem ls -1 /claude

# What is not there, is empty, or is of no format.
mem import missing.jsonl; echo "exit $?"
mem import missing.jsonl --json; echo "exit $?"
mkdir empty; touch empty/notes.txt
mem import empty; echo "exit $?"
mem import empty --format claude-memory; echo "exit $?"
mem --root other set /x 1 -s chat -q; mem import other; echo "exit $?" # files
mem import folder/one.md --format html; echo "exit $?"
mem import folder/one.md --format memory-md; echo "exit $?"
mem import - --format claude-memory < folder/one.md; echo "exit $?"
mem import; echo "exit $?"
mem import bad.jsonl --prefix ../up; echo "exit $?"
mem import bad.jsonl --on-untrusted maybe; echo "exit $?"
mem import bad.jsonl --allow-secret no-such-rule; echo "exit $?"
mem set /kept/a --text first --source t -q; mem export --prefix /kept | sed 's/first/firsT/' > changed.jsonl; mem import changed.jsonl; echo "exit $?"
