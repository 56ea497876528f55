# needs: jq
# Whatever verb writes, a session keeps to its rules: closed, full, deleted, without a version.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z USER=ada
A=mem_01KJ2N4XK0W4E5V7QD3M8R9T0A B=mem_01KJ2N4XK0W4E5V7QD3M8R9T0B
line() { printf '{"key":"/session/%s","content":%s,"source":{"kind":"%s"}}\n' "$1" "$2" ${3:-user}; }
run() { "$@"; echo "exit $?"; }

# A closed session takes no record, by whatever door; what is in it can be changed and deleted.
mem session create --id c; line c/$A '{"type":"finding","finding":"f","schema_version":1}' | mem import - -q
line c/$B '{"type":"finding","finding":"g"}' web | mem import - --on-untrusted quarantine -q; mem session close c
run mem approve --yes /untrusted/session/c/$B; line c/$B '{"type":"finding","finding":"g"}' > in; run mem import in
{ line c '{"type":"session","session_id":"c"}'; cat in; } > both; run mem import both
run mem set /session/c/note 1 -s x; run mem touch /session/c/$A --tag kept; mem forget c $A; run mem undo /session/c/$A
mem session show c --jq '[.closed_at != null, .total_entries]'; run mem import both --force; mem session delete c

# What was deleted does not return by an import; an undo brings it back.
run mem import in; run mem import in --force; line c '{"type":"session","session_id":"c"}' > head; run mem import head; mem session list | wc -l
mem undo /session/c -q; mem session list | cut -f 1

# The limit is judged for every write.
mem session create --id f; mem config set storage.max_session_size_mb 0.002
line f/$A '{"type":"preference","preference":"p","schema_version":1}' | mem import - -q
for i in $(seq 50); do printf 'tag%040d,' $i; done > tags; run mem touch /session/f/$A --tag "$(cat tags)x" 2>&1 | sed 's/[0-9]* bytes/N bytes/'
run mem set /session/f/note "\"$(head -c 3000 /dev/zero | tr '\0' x)\"" -s x 2>&1 | sed 's/[0-9]* bytes/N bytes/'
run mem set /session/f/note "\"$(head -c 1500 /dev/zero | tr '\0' x)\"" -s x -q; mem session stats f | tail -n 1
mem session show f --jq '.total_size_bytes < 2097'; mem config set storage.max_session_size_mb 1e15; run mem remember f y --type finding -q | cut -c 1-4
mem config set storage.max_session_size_mb null

# A record without a version can be read; the verbs of sessions refuse its session alone.
line f/$B '{"type":"finding","finding":"old"}' | mem import - -q; run mem remember f new --type finding; run mem session show f
mem get f $B; mem history /session/f/$B | wc -l; mem export --prefix /session/f | grep -c $B; mem session export f | grep -c $B; mem fsck
mem session create --id g; mem remember g new --type finding -q | cut -c 1-4; mem session list | cut -f 1
mem forget /session/f/$B -q; mem remember f new --type finding -q | cut -c 1-4; mem fsck

# So it is with one that came by hand, and with a session.
printf '%s\n' '{"key":"/session/g/'$A'","ts":"2026-01-01T00:00:00.000000Z","valid":true,"source":{"kind":"web"},"content":{"type":"finding","finding":"by hand"}}' >> memory/log.jsonl # files
mem set /x 1 -s x -q; run mem session stats g; mem get g $A; mem forget /session/g/$A -q; mem session stats g | head -n 1 # files
mem fsck --repair -q # files
line h '{"type":"session","session_id":"h"}' | mem import - -q; run mem session close h; mem fsck --json --jq .unversioned; mem session delete h; mem session list | cut -f 1

# One that has expired is not there.
mem touch /session/g --expires 2026-02-22T10:00:01Z -q; export MEM_NOW=2026-02-22T11:00:00Z
mem session list | cut -f 1; run mem session show g; run mem remember g x --type finding; run mem session create --id g
# With tombstones that were left behind, what is deleted here counts.
mem export --prefix /session/f > f.jsonl; mem --root other import f.jsonl -q; mem --root other session stats f | head -n 1
mem fsck --repair -q; mem fsck # files
