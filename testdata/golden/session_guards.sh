# needs: jq
# Other verbs keep to what a session is: a record has a record's tags, and a session its records.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z USER=ada LOGNAME=ada
mem session create --id s1
id=$(mem remember s1 'Tokens leak' --type finding); key=/session/s1/$id
ids() { sed 's/mem_[0-9A-HJKMNP-TV-Z]\{26\}/mem_ID/g'; }

# A touch keeps to what a record may have, and mem import takes the lines of a session.
mem touch $key --tag 'a b'; echo "exit $?"
mem touch $key --importance 9; echo "exit $?"
mem touch $key --tag ok --importance 1 -q
mem export --prefix /session | mem --root other import -

# The key of a session does not go alone; undo takes back what it has.
mem forget /session/s1; echo "exit $?"
mem forget /session/s1 --dry-run; echo "exit $?"
mem forget $key
mem undo $key -q; mem session delete s1
mem fsck

# A record is found by its id where one session has it; by its key where two have.
mem session create --id s2 -q; mem session create --id s3 -q
a=$(mem remember s2 'first' --type finding); b=$(mem remember s2 'second' --type finding --references $a)
named() { "$@" 2>&1 | ids; }
named mem search --references $b; named mem search --references $b --session s2
mem get $a --jq .content.finding; mem touch $b --tag named -q; mem forget $b; mem undo $b -q
mem history $b | wc -l
mem export --prefix /session/s2 | jq -c 'del(.checksum) | .key |= sub("/s2/"; "/s3/") | select(.key | test("mem_")) | .content.session_id = "s3"' | mem import -; echo "exit $?"
named mem get $a; mem get mem_01KJ2CNA800SSZ2A29SH5THR5A; echo "exit $?"
mem fsck

# A session that is closed or full takes nothing new from mem import; closed it comes to where it is not.
mem export --prefix /session | grep mem_ > records.jsonl
mem --root shut session create --id s2 -q; mem --root shut session close s2 -q
mem --root shut import records.jsonl; echo "exit $?"
mem --root full session create --id s2 -q; mem --root full config set storage.max_session_size_mb 0.0002
mem --root full import records.jsonl 2>&1 | sed 's/[0-9]* bytes/N bytes/'
mem session close s2 -q; mem --root new import <(mem export) 2>&1 | ids; mem --root new session list | cut -f 1,4,6
