# needs: jq
# A command is taken back in all stores that it wrote to, or in none.
export MEM_ROOT=memory
for i in 1 2 3; do mem set /user/r$i --type rule --text "my rule $i" -s me -q; done
mem export -q > backup.jsonl; export MEM_ROOT=new
mem import backup.jsonl; mem undo --last; mem import backup.jsonl --mine --yes; mem ls --keys

# Only the lines of an import that was undone come back: a deletion stays, and so does the undo of another command.
mem rm /user/r1; mem import backup.jsonl --mine --yes; mem ls --keys
mem set /x 1 -s me -q; mem export -q > later.jsonl; mem undo --last; mem import later.jsonl --mine --yes; mem ls --keys

# A key that was written since: nothing is taken back.
mem forget --prefix /user --yes; mem set /user/r2 '"since"' -s me -q; mem note 'a note' -q >/dev/null
printf '%s\n' '{"key":"/b/1","content":1}' '{"key":"/b/2","content":2}' | mem set - -s t
line=$(tail -n 1 new/ops.jsonl) # files
mem set /b/2 3 -s t -q; echo "$line" >> new/ops.jsonl # files
mem undo --last; echo "exit $?"; mem ls --keys # files

# Quarantined memories return to quarantine, and may be approved again.
mem set /kb/port 8080 -s web --on-untrusted quarantine -q; mem approve /kb/port --yes -q; mem undo --last; mem ls /untrusted --keys
mem forget --prefix /untrusted --all --yes -q; mem undo --last; mem approve /kb/port --yes -q; mem get /kb/port -q

# A client brings no rule back, whatever source the deletion has.
mem set /user/new --type rule --text 'a rule' -s me -q; mem rm /user/new -s me -q
CLAUDECODE=1 mem undo --last; echo "exit $?"; CLAUDECODE=1 mem undo /user/new; echo "exit $?"
mem undo --last; mem get /user/new -q | jq -r .text

# Of two stores; where the other one, or its journal, is gone nothing is taken back.
unset MEM_ROOT; mkdir -p shop/.git/refs shop/.git/objects; echo 'ref: refs/heads/main' > shop/.git/HEAD; cd shop
mem --root ../other note 'an other note' -q >/dev/null; mem --root ../other set /o/x 1 -s t -q
mem move --from ../other --to project; mem undo --last; mem --root ../other ls --keys; mem ls
mem --now 2026-02-22T11:00:00Z move --from ../other --to project -q; mv ../other/ops.jsonl ..
mem undo --last; echo "exit $?"; mem ls --keys; mv ../ops.jsonl ../other
mem undo --last; mem --root ../other ls --keys

# A move for which the target has nothing to write, as after a crash, is the last command there too, and so is its undo.
cp -r ../shop ../shop2; cd ../shop2; mem --root ../other export 2>/dev/null | mem import --mine --yes - -q; mem note unrelated -q >/dev/null
mem move --from ../other --to project -q; mem undo --last; mem --root ../other ls --keys; mem ls --keys
mem undo --last; mem --root ../other ls --keys; mem undo --last; mem --root ../other ls --keys; mem ls --keys; cd ../shop

# A history that comes along may have been undone where it is from: its move is taken back all the same.
for db in one two; do mem --root ../third set /db "\"$db\"" -s t -q; done; mem --root ../third undo --last
mem --root ../third set /gone 1 -s t -q; mem --root ../third rm /gone; mem --root ../third undo --last
mem --now 2026-02-22T12:00:00Z move --from ../third --to project; mem --now 2026-02-22T12:00:00Z undo --last
mem ls --keys; mem --root ../third ls --keys

# A memory that is back in its layer has no version in the other one that mem undo KEY brings back.
mem --now 2026-02-22T12:00:00Z set /user/k 1 -s t -q; mem --now 2026-02-22T12:00:00Z move /user/k --to project; mem --now 2026-02-22T12:00:00Z undo --last
mem --now 2026-02-22T12:00:00Z undo /user/k; mem --now 2026-02-22T12:00:00Z undo /user/k; mem ls -l /user/k
