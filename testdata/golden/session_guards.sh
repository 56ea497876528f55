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
