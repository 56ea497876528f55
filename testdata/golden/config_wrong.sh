# postgres: no (it is about config.json)
# needs: jq
# A configuration that is wrong: nothing is written by it, reading goes on, and it is mended member by member.
export MEM_ROOT=memory
mem note 'port 5432' -q
cat > memory/config.json <<'END'
{
  "rotate": {"lines": 500},
  "storage": {
    "max_sesion_size_mb": 10
  }
}
END
mem note no; echo "exit $?"
mem set - -s chat <<< '{"key":"/k","content":1}'; echo "exit $?"
mem rm m-1; echo "exit $?"; mem compact; echo "exit $?"; mem forget --purge --yes m-1; echo "exit $?"
mem note no --json; echo "exit $?"

# Reading goes on, with one warning of every verb; hooks are silent.
mem get m-1; mem ls; mem notes; mem search port; mem query .key; mem history m-1; mem log; mem stat -q; mem export --prefix /none; mem audit; mem fsck
mem read; echo "exit $?"
mem read --json | jq .count
mem prompt | grep -c .
jq -nc '{hook_event_name:"SessionStart",session_id:"s"}' | mem hook codex | jq -r .hookSpecificOutput.additionalContext
mem doctor -q | grep config

# What is wrong elsewhere keeps a setting from being written; set it right there first.
mem config set rotate.lines 600; echo "exit $?"
mem config set storage.max_sesion_size_mb null; mem config set rotate.lines 600; cat memory/config.json; mem note yes

# Names, values and texts that could not stand there.
wrong() { printf '%s' "$1" > memory/config.json; mem note no; echo "exit $?"; }
wrong '{"decay":{"min_decay_factor":1.5}}'
wrong '{"decay":{"type_specific":{"my type":{"half_life":3}}}}'
wrong '{"decay":{"type_specific":{"my type":{"half_life_hours":0}}}}'
wrong '{"storage":true}'
wrong '{"version":"2.0"}'
wrong '{"rotate":{"lines":1},"rotate":{"lines":2}}'
wrong '{"weights":{"match":-1}}'
wrong '{"knowledge":["docs"]}'
wrong '["version"]'
wrong '{"inject":{"private_tokens":-1}}'; mem config set inject.private_tokens 1500; mem config get inject.private_tokens --show-origin
wrong $'{\n "rotate": {"lines": 5},,\n}'; mem config set rotate.lines 6; echo "exit $?"; cat memory/config.json; echo
rm memory/config.json

# What could not be set is refused, and leaves no file.
for args in 'storage.max_sesion_size_mb 1' 'max_session_size_mb 1' 'zebra null' 'rotate.lines 0' 'rotate.lines many' 'storage 1' 'version 2.0' \
  'memory.inject_mode some'; do mem config set $args; echo "exit $?"; done
mem config get rotat.lines; mem config get; mem config; mem config show; echo "exit $?"
mem config set memory.inject_mode recent_only; mem config set version 1.0; mem config get memory.inject_mode; mem config set version 1.0
cat memory/config.json; mem config set version null --json; mem config set memory.inject_mode null; cat memory/config.json
mem --root other config set rotate.lines 0; ls other
tail -n 1 memory/ops.jsonl | jq -c '[.op,.what,.count]'

# Of several faults one after the other can be mended; none can be added.
printf '{"a":1,"b":2,"memory":{"max_total":"many"}}\n' > memory/config.json
for name in 'a null' 'storage.auto_compact false' 'storage.auto_compact maybe' 'memory.max_total 5' 'b null'; do mem config set $name; echo "exit $?"; done; cat memory/config.json; mem note yes
printf '{"a":1' > memory/config.json; mem config set a null; echo "exit $?"; rm memory/config.json

# doctor has the remedy of a write.
echo '{"memory":{"max_totl":1}}' > memory/config.json; mem note x -q; mem doctor -q | grep config
echo '{"memory":{"max_total":1}' > memory/config.json; mem note x -q; mem doctor -q | grep config
rm memory/config.json
