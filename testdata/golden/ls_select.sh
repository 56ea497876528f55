# Which memories are listed, and in which order.
export MEM_ROOT=memory
mem set /a/old '{"type":"fact","text":"an old one","tags":["infra"],"importance":0.9}' -s chat -q --now 2026-02-01T10:00:00Z
mem set /a/new '{"type":"decision","text":"a new one, and a longer one","tags":["infra.net"]}' -s chat -q --now 2026-02-21T10:00:00Z
mem set /b '{"type":"decision","text":"b","tags":["go"],"importance":0.1}' -s chat -q --now 2026-02-20T10:00:00Z
mem set /c '"no type"' -s chat -q --now 2026-02-22T09:00:00Z
mem ls --type decision; mem ls --type fact,decision --tag infra -1; mem ls --tag '!infra' -1
mem ls --since 3d -1; mem ls --until 2026-02-20 -1; mem ls /a --since 30d --until 2026-02-20T10:00:00Z -1
for order in key time importance size type; do echo "$order: $(mem ls -1 --sort $order | tr '\n' ' ')"; done
mem ls --sort importance; mem ls -l --sort size --limit 2
mem ls --json --sort time --limit 1 --jq '.count, .memories[0].key'
mem ls --tag nosuch; echo "exit $?"
mem ls --sort age; echo "exit $?"
mem ls --since soon; echo "exit $?"
mem ls --type ''; echo "exit $?"
mem ls --color always /c; mem ls --color loud; echo "exit $?"

# An agent's shell is told that the root depends on where it is. A script is not.
CLAUDECODE=1 mem ls -1 /c
