# A person takes back that they deleted what an agent keeps, and is never shown what it says.
# needs: jq
export MEM_ROOT=memory
ids() { sed -E 's/[0-9A-HJKMNP-TV-Z]{26}(@[0-9a-f]{6})?/ULID/g'; }
mem core 'pemba is who I am' --agent ada -q
key=$(MEM_AGENT=ada mem ls --keys /agent/ada/core)
mem undo $key 2>&1 | ids; echo "exit ${PIPESTATUS[0]}"
mem forget $key --reason 'a mistake'
mem forget --list | ids
MEM_AGENT=bob mem forget --list; MEM_AGENT=bob mem undo $key 2>&1 | ids
MEM_AGENT=ada mem undo $key 2>&1 | ids
mem undo $key --json | ids
mem forget --list | ids; mem read --format private --agent ada
mem undo $key 2>&1 | ids; mem undo $key -q; mem memories --agent ada | cut -f 5
mem get $key 2>&1 | ids; mem history $key 2>&1 | ids; mem diff $key 2>&1 | ids
mem undo /agent/ada/core 2>&1; mem undo ${key#/agent/ada/core/} 2>&1 | ids
mem agent delete ada; mem forget --list | ids; mem undo $key -q; mem memories --agent ada | cut -f 5

# What an agent has moved nobody has deleted; what was purged does not come back.
mem forget $key --purge --yes -q; mem undo $key 2>&1 | ids; mem forget --list | ids

# Of two layers, too.
unset MEM_ROOT; mkdir shop && cd shop && mem init -q
mem core 'lamu' --agent ada -q; key=$(mem memories --agent ada --json --jq '"/agent/ada/core/" + .memories[0].id')
mem forget $key -q; mem undo $key 2>&1 | ids; mem memories --agent ada | cut -f 5
MEM_AGENT=ada mem move $key --to project -q 2>&1 | ids; MEM_AGENT=ada mem forget --list | ids; mem forget --list | ids
