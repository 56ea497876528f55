# postgres: no (it is about two roots)
# Memories go to a second machine in an archive, change there, and come home as these changes.
unset MEM_ROOT
home() { mem --root home "$@"; }; away() { mem --root away "$@"; }
home note 'the server is at port 8080' -q; home note 'the database is called blue' -q
home set /user/style --type rule --text tabs --kind user --name ada -q
home set /plain/a 1 -s chat -q
home export --all-layers --out out.tar
away import out.tar
away import out.tar --mine --dry-run; away import out.tar --mine; echo "exit $?"
away import out.tar --mine --yes
away get /plain/a; away history /plain/a
head -c 2048 out.tar > cut.tar; mem --root none import cut.tar --mine --yes; echo "exit $?"
(cat out.tar; echo more) | mem --root none import - --dry-run; echo "exit $?"; test -e none || echo "no store"

echo "# corrections, a successor, a deletion"
away note --replaces m-1 'the server is at port 9090' -q
away set /user/style --type rule --text spaces --kind user --name ada -q
away forget /plain/a -q
away export --all-layers --out back.tar
home set /note/workspace/m-2 --text 'the database is called red' -s chat -q
home import back.tar --dry-run
home import back.tar
home ls; home get /user/style
home import back.tar --mine --yes
home get /user/style
home import back.tar
away import back.tar
home fsck; away fsck

echo "# a page for a prompt, the export of another tool, and sessions"
home export --format memory-md --out MEMORY.md -q; home import MEMORY.md; echo "exit $?"
echo '{"version":"1","exported_at":"x","sessions":[],"observations":[{"id":1,"sync_id":"obs-1","type":"decision","title":"Auth","content":"JWT","scope":"project","created_at":"2026-02-22 09:00:00"}],"prompts":[]}' > engram.json
home import engram.json; home get /engram/project/obs-1
echo '{"key":"/session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV","source":"chat","content":{"type":"decision","decision":"x","importance":7}}' > in.jsonl
home import in.jsonl; echo "exit $?"
