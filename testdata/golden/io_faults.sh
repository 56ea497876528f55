# postgres: no (it is about files that cannot be written)
# The file system fails: nothing acknowledged is lost, nothing half-written stays.
export MEM_ROOT=memory
mem set /k '{"n":1}' -s chat -q

# A file may not grow past a limit, as on a full disk.
text=$(printf 'x%.0s' $(seq 5000))
(ulimit -f 1; trap '' XFSZ; mem set /k --text "$text" -s chat); echo "exit $?"
mem get /k
wc -l memory/log.jsonl
mem fsck
mem set /k '{"n":2}' -s chat -q
mem get /k

# Nobody reads what was printed.
mem ls > /dev/full; echo "exit $?"
mem set /k '{"n":3}' -s chat > /dev/full; echo "exit $?"
mem get /k
