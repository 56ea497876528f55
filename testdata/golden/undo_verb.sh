# The version before comes back, and the one after it.
export MEM_ROOT=memory
mem set /project/db '{"text":"the port is 3306"}' -s chat -q
mem undo /project/db; echo "exit $?"
mem --now 2026-02-23T10:00:00Z set /project/db '{"text":"the port is 5432"}' -s chat -q
export MEM_NOW=2026-02-24T10:00:00Z
mem undo /project/db; mem get /project/db
mem undo /project/db -q; mem get /project/db
mem history /project/db | cut -f 1-3
mem get /project/db --jq .source.edited

# What was deleted comes back; and goes again.
mem rm /project/db; mem undo project/db; mem get /project/db --jq .content.text; mem undo /project/db; mem get /project/db; echo "exit $?"
mem undo /project/db --to 2026-02-22T10:00:00.000000Z --source 'me, after all' --json
mem undo /project/db --to 2026-02-22T10:00:00Z; mem undo /project/db --to 2020-01-01; echo "exit $?"
mem undo /project/db --to soon; mem undo /project/db --to ''; mem undo /none; echo "exit $?"
mem note 'port 5432' -q; mem forget m-1 -q; mem undo m-1; mem notes --jq '.memories[].text'

# What changed, as lines.
mem diff /project/db; mem diff /project/db 2026-02-23T10:00:00.000000Z; echo "exit $?"
mem diff /project/db 2026-02-22T10:00:00Z 2026-02-23T10:00:00Z --json
mem diff /project/db 2026-02-22T10:00:00Z 2026-02-22T10:00:00Z; echo "exit $?"
mem diff /project/db 2020; mem diff /project/db 2026-02-21; echo "exit $?"
mem set /one 1 -s chat -q; mem diff /one; mem diff /none; echo "exit $?"
mem diff m-1 | grep '^[-+] '
