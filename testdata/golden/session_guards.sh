# needs: jq
# Other verbs keep to what a session is: a record has a record's tags, and a session its records.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z USER=ada LOGNAME=ada
mem session create --id s1
id=$(mem remember s1 'Tokens leak' --type finding); key=/session/s1/$id
ids() { sed 's/mem_[0-9A-HJKMNP-TV-Z]\{26\}/mem_ID/g'; }

# What a touch stores, an import of the export takes.
mem touch $key --tag 'a b'; echo "exit $?"
mem touch $key --importance 9; echo "exit $?"
mem touch $key --tag ok --importance 1 -q
mem session export s1 | mem --root other session import -

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
mem session export s2 | jq -c 'del(.entries[].checksum, .metadata.session_id) | .metadata.session_id = "s3" | .entries[].session_id = "s3"' | mem session import -
named mem get $a; mem get mem_01KJ2CNA800SSZ2A29SH5THR5A; echo "exit $?"
mem fsck
