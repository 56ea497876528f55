# Listing keys.
export MEM_ROOT=memory
mem ls; echo "exit $?"
mem --now 2026-02-19T10:00:00Z set /user/name '{"type":"fact","text":"Ada"}' -s chat -q
mem --now 2026-02-22T08:59:00Z set /user/style '{"summary":"tabs\tand\nnewlines"}' -s chat -q
mem set /userland 1 -s chat -q
mem set /task/1 '{"type":"task","text":"write"}' -s chat -q
mem --now 2026-02-22T10:30:00Z ls
mem ls /user
mem ls /user/
mem ls -1
mem ls -1 --limit 2
mem ls --json /user
mem ls --json --limit 1 --jq '.count, (.memories | length)'
mem ls -1 /task | xargs -n1 mem get
mem ls /nothing; echo "exit $?"
mem ls /nothing --json
mem ls user; echo "exit $?"
mem ls /a /b; echo "exit $?"
mem ls --limit -1; echo "exit $?"
