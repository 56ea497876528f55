# Wrong flags, times and numbers; every one leaves with 2 and stores nothing.
export MEM_ROOT=memory
run() { mem "$@"; code=$?; [ $code = 2 ] || echo "exit $code"; }
run gett /k
run memorize /k
run list
run --nosuch ls
run set /k 1 -s chat --nosuch
run set /k 1 -s
run set
run set /k
run set /k 1
run set /k 1 2 -s chat
run set /k -5 -s chat
run set /k 1 -s chat --now yesterday
run set /k 1 -s chat --now 2026-02-30T00:00:00Z
MEM_NOW=later run set /k 1 -s chat
run set /k 1 -s chat --if-ts yesterday
run set /k 1 -s chat --jq '.['
run set /k 1 -s chat --lock-timeout -1s
run set /k 1 -s chat --lock-timeout soon
run set /k 1 -s chat --log-level loud
run set /k 1 -s chat --on-untrusted keep
run set /k 1 --text one -s chat
run set /k --type fact -s chat
run set /k --text ''  -s chat
run set /k --text x --expires tomorrow -s chat
run set /k --text x --ttl 5 -s chat
run set /k --text x --ttl -5m -s chat
run set /k --text x --ttl 1h --expires 2026-03-01T00:00:00Z -s chat
run set /k --text x --importance high -s chat
run set /k --text x --importance 11 -s chat
run set /k --text x --importance NaN -s chat
run set /k --text $'\xff' -s chat
run set - --if-absent
run set - --text x
run read --token-limit many
run read --token-limit -1
run read --format yaml
run ls --limit x
run --root '' ls
run completion tcsh
mem ls
