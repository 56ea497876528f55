# postgres: no (it is about two roots)
# A key proves nothing: a memory of another file is a new one, and the same file changes what it has brought.
unset MEM_ROOT
home() { mem --root home "$@"; }; away() { mem --root away "$@"; }
home set /graph/entity/Ada '{"text":"mine"}' -s me -q
mkdir -p one two
graph() { echo '{"type":"entity","name":"Ada","entityType":"person","observations":["'"$1"'"]}'; }
graph 'likes tea' > one/memory.jsonl; home import one/memory.jsonl
graph 'likes coffee' > one/memory.jsonl; (cd one && mem --root ../home import memory.jsonl)
graph 'likes water' > two/memory.jsonl; (cd two && mem --root ../home import memory.jsonl)
graph 'likes soup' | home import -
home ls /graph

echo "# a folder that was exported, edited by another program"
home set /user/style '{"text":"tabs"}' -s me -q; home note 'the port is 8080' -q
home export --format claude-memory --out folder -q
home query --prefix /user '.content'; grep '^mem: ' folder/user_style-*.md
sed -i s/tabs/spaces/ folder/user_style-*.md; sed -i s/8080/9090/ folder/note_*.md
home import folder; home get /user/style; home ls /note
home set /user/style '{"text":"both"}' -s me -q; home import folder; home get /user/style
away set /user/style '{"text":"of the other machine"}' -s me -q; away import folder/user_style-*.md; away note 'not 9090' -q; away import folder/note_*.md; echo "exit $?"; away ls

echo "# a change here, and the undo of an import"
mkdir topics; for i in a b c; do echo "text $i" > topics/$i.md; done; home import topics
home touch /claude/a --tag +t -q; home rm /claude/b -q; home import topics
for i in a b c; do echo "new $i" > topics/$i.md; done; home import topics; home undo --last; home import topics; home ls /claude

echo "# a number that a purge has freed"
home forget m-1 --purge --yes -q
away export --out away.jsonl; home import away.jsonl; home import away.jsonl; home ls /note

echo "# engram: the ids, and the order of the members"
echo '{"exported_at":"x","observations":[{"id":"20","content":"text"},{"id":21,"content":"number"}]}' > engram.json; home import engram.json; home ls -1 /engram
echo '{"observations":[{"id":null,"content":"x"},{"id":[1],"content":"x"}],"version":"1"}' > engram.json; home import engram.json; echo "exit $?"

echo "# the rules of a file, and how to import them"
echo '{"key":"/user/x","ts":"2026-02-22T09:00:00Z","valid":true,"source":{"kind":"user","name":"ada","retrieved_at":"2026-02-22T09:00:00Z","locator":{"path":"x"}},"content":{"type":"rule","text":"x"}}' > ./-x.jsonl
home import -- -x.jsonl; home import --mine --yes -- -x.jsonl
away import - < ./-x.jsonl
echo '{"key":"/user/y","source":"ada","content":{"type":"rule","text":"y"}}' > rule.jsonl; MEM_NOW= CLAUDECODE=1 mem --root client import rule.jsonl
home fsck; away fsck
