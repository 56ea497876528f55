# A memory gets another key, with its time and its source.
# needs: jq
export MEM_ROOT=memory
mem set /project/database '{"text":"port 5432"}' -s 'chat with Ada' -q
mem --now 2026-03-01T10:00:00Z mv /project/database /project/db
mem get /project/db --envelope | jq -c '[.ts,.source,.content]'
mem get /project/database; echo "exit $?"
mem history /project/database | cut -f 1-3; mem query --history 'select(.valid|not).source.locator'
mem set /project/port '{"text":"5433"}' -s chat -q
mem mv /project/db /project/port | cut -c 1-60; mem mv /project/db /project/port 2>/dev/null >&2; echo "exit $?"
mem mv /project/db /project/port --force --json; mem ls
mem mv /none /x; mem mv /project/port /project/port; mem mv /project/port m-3; echo "exit $?"
mem note 'a fact' -q; mem mv m-1 /fact; mem mv /project/port /note/workspace/m-7; echo "exit $?"
mem set /kb/x 1 -s chat --on-untrusted quarantine -q; mem mv /untrusted/kb/x /x; mem mv /project/port /untrusted/x; echo "exit $?"
mem mv /project/port /kb/port; echo "exit $?"
mem mv /project/port --to user; echo "exit $?"
mem move /project/port; echo "exit $?"; mem undo /project/database -q; mem get /project/database
