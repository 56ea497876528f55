# needs: jq
# What was exported comes back under the ids it had, once.
export MEM_ROOT=memory
mem --root other session create --id s1 --user ada --config '{"preferences":{"language":"de"}}'
put() { mem --root other set "/session/$1/mem_$2" "$3" -s chat -q --force; }
put s1 01ARZ3NDEKTSV4RRFFQ69G5FAV '{"type":"decision","session_id":"s1","timestamp":"2026-02-08T10:00:00Z","role":"user","decision":"JSONL","importance":0.9,"tags":["storage"],"schema_version":1}'
put s1 01ARZ3NDEKTSV4RRFFQ69G5FAW '{"type":"finding","session_id":"s1","timestamp":"2026-02-22T10:00:00Z","role":"user","finding":"牙科\n\u0000","importance":0.5,"schema_version":1}'
mem --root other session export --format jsonl > all.jsonl
mem --root other session export | jq . > all.json
mem session import all.jsonl --dry-run
mem session import all.jsonl
mem session import all.json
mem session import - --json < all.json
mem get /session/s1
mem history /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAW
diff <(mem query --prefix /session '[.key,.content]') <(mem --root other query --prefix /session '[.key,.content]') && echo same

# What stands here counts, and what was deleted here stays so.
mem forget /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV -q
mem set /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAW '{"type":"finding","text":"changed here"}' -s chat -q --force
mem session import all.jsonl
mem session delete s1
mem session import all.jsonl
mem session list

# A changed entry is left out, and named; by hand it comes in without a checksum.
sed 's/JSONL/SQL/' all.jsonl | mem --root hand session import -; echo "exit $?"
mem --root hand ls -1
sed 's/JSONL/SQL/; s/,"checksum":"[^"]*"//' all.jsonl | mem --root hand session import -; echo "exit $?"

# Bad entries are named, and then nothing is stored, unless it is to go on.
sed 's/"importance":0.9/"importance":9/; s/"finding","content"/"idea","content"/; s/,"checksum":"[^"]*"//' all.jsonl > bad.jsonl
echo '{"id":"mem_01ARZ3NDEKTSV4RRFFQ69G5FAX","session_id":"s1","timestamp":"2026-02-22","type":"finding","content":{"finding":"good"}}' >> bad.jsonl
head -c 400 all.jsonl | tail -c 60 >> bad.jsonl
mem --root bad session import bad.jsonl; echo "exit $?"
ls bad 2> /dev/null
mem --root bad session import bad.jsonl --keep-going; echo "exit $?"
echo '{"metadata":{"session_id":"s 1"},"entries":[{"id":"mem_1"}]}' | mem --root bad session import -; echo "exit $?"
echo '{"id":"mem_01ARZ3NDEKTSV4RRFFQ69G5FAY","session_id":"s1","timestamp":"2026-02-22","type":"finding","content":{"finding":"password=hunter2hunter2Xq9!zT7w"}}' | mem --root bad session import -; echo "exit $?"
mem --root other session export --format markdown > all.md
mem --root bad session import all.md; echo "exit $?"
mem --root bad session import none.json; echo "exit $?"

# A closed session takes nothing new, from no import; closed it comes to where it is not.
mem --root other session close s1
mem --root other session export > closed.json
mem --root shut session create --id s1 -q; mem --root shut session close s1 -q
mem --root shut session import closed.json; echo "exit $?"
mem --root other export | grep mem_ > records.jsonl
mem --root shut import records.jsonl; echo "exit $?"
mem --root shut log
mem --root new session import closed.json; mem --root new session import closed.json
mem --root new session list
mem --root all import <(mem --root other export); mem --root all session list

# One that is full takes no more than fits.
mem --root full config set storage.max_session_size_mb 0.0005
mem --root full session import all.jsonl; echo "exit $?"
mem --root full import records.jsonl; echo "exit $?"

# Either import knows the other's files, and says so once.
for file in all.jsonl all.json closed.json; do mem --root none import $file; echo "exit $?"; done
mem --root none import - < all.json; echo "exit $?"
mem --root none session import records.jsonl; echo "exit $?"
test -e none || echo 'nothing written'
