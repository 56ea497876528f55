# needs: jq sha256sum
# A session leaves the store with all that is in it, for another program.
export MEM_ROOT=memory
mem session create --id s1 --user ada --config '{"decay_config":{"half_life_hours":336}}'
put() { mem set "/session/$1/mem_$2" "$3" -s chat -q --force; }
put s1 01ARZ3NDEKTSV4RRFFQ69G5FAV '{"type":"decision","session_id":"s1","timestamp":"2026-02-08T10:00:00Z","role":"user","decision":"JSONL, not <SQL>","rationale":"grep reads it\n# and so does jq","importance":0.9,"tags":["storage"],"references":["/user/style"],"schema_version":1}'
put s1 01ARZ3NDEKTSV4RRFFQ69G5FAW '{"type":"finding","text":"by hand, with \u7259","n":1e-7}'
mem session create --id s2 --user bob

# One session is an object; several are in one. Without a word on it, a record is of when it was written.
mem session export s1
mem session export --jq '.sessions[] | [.metadata.session_id, .metadata.statistics.decisions, (.entries | length)]' -q
mem session export --prefix s2

# A line for each session and entry; the checksum is that of the entry with sorted members.
mem session export --format jsonl
line=$(mem session export --format jsonl | sed -n 2p)
echo "$line" | jq -cjS 'del(.checksum, .decay_factor)' | sha256sum
echo "$line" | jq -r .checksum

# What has expired or was deleted is not there; decay_factor is that of now.
put s1 01ARZ3NDEKTSV4RRFFQ69G5FAX '{"type":"finding","text":"over","expired_at":"2026-02-01"}'
mem forget /session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAW -q
mem session export s1 --jq '.entries[] | [.id, .decay_factor]'
mem --now 2026-03-08T10:00:00Z session export s1 --jq '.entries[] | [.id, .decay_factor]'

# Wrong calls.
mem session export s3; echo "exit $?"; mem session export --prefix nope; echo "exit $?"; mem session export --prefix nope --json; echo "exit $?"
mem session export ""; echo "exit $?"
mem session export s1 --prefix s; echo "exit $?"
mem session export --format xml; echo "exit $?"
mem session export s1 > one.json; mem import one.json; echo "exit $?"
mem session export s1 s2; echo "exit $?"
