# What an agent keeps, as a person reviews it.
# served: no (it reads all stores of a machine)
export MEM_ROOT=memory
ids() { sed -E 's/[0-9A-HJKMNP-TV-Z]{26}/ULID/g'; }
mem memories --agent ada; echo "exit $?"
mem journal 'long over' --agent ada --now 2026-02-01T08:05:00Z -q
mem journal $'two\nlines' --agent ada -q
mem core 'for good' --agent ada --now 2025-12-31T23:59:59Z -q
mem memories --agent ada | ids
mem memories --agent ada --json | ids
mem memories --agent bob; mem memories --agent bob --json
mem stat --agent ada; mem stat --agent ada --json; mem stat --agent bob --json

# An agent sees its own alone.
MEM_AGENT=ada mem memories | wc -l
MEM_AGENT=bob mem memories --agent ada; echo "exit $?"
MEM_AGENT=bob mem stat --agent ada; echo "exit $?"
mem memories; echo "exit $?"; mem memories --agent ''; echo "exit $?"; mem stat --agent ada --all; echo "exit $?"

# One of them goes for good, by its key.
id=$(mem memories --agent ada --jq '.memories[] | select(.expired) | .id')
mem memories --agent ada | grep expired | cut -f 6 | xargs mem forget --dry-run | ids
mem forget /agent/ada/journal/$id --purge --yes | head -n 1
mem forget /agent/bob/journal/$id 2>&1 | ids
mem memories --agent ada --jq '.memories[].content'
grep -c 'long over' memory/log.jsonl # files
mem fsck

# At most a hundred.
for i in $(seq 101); do echo "{\"key\":\"/agent/many/core/$(printf '%026d' $i)\",\"content\":{\"type\":\"core\",\"text\":\"n$i\"}}"; done | mem import - --force
mem memories --agent many | wc -l
mem memories --agent many --limit 0 | wc -l; mem memories --agent many --limit 2 | cut -f 5-6; mem memories --agent many --limit -1; echo "exit $?"
mem memories --agent many --jq '[.count, (.memories | length), .memories[0].content]'
