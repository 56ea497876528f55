# needs: flock
# Every exit code once, in the order of the table.
export MEM_ROOT=memory

# 0: done.
mem set /k '{"n":1}' -s chat; echo "exit $?"

# 1: the answer is no.
mem get /nobody; echo "exit $?"
echo garbage >> memory/log.jsonl; mem fsck; echo "exit $?" # files
mem fsck --repair; echo "exit $?" # files

# 2: the input is wrong.
mem set ../key 1 -s chat; echo "exit $?"

# 3: refused by policy.
mem set /kb/k 1 -s chat; echo "exit $?"

# 4: compare-and-set lost.
mem set /k 2 -s chat --if-absent; echo "exit $?"

# 5: another process holds the lock.
flock memory/lock mem set /k 2 -s chat --lock-timeout 0 2>&1 | sed "s/held by.*waited [^\"]*/held by SOMEBODY/"; echo "exit ${PIPESTATUS[0]}" # files
flock memory/lock mem set /k 2 -s chat --lock-timeout 20ms --json 2>&1 | sed "s/held by.*waited [^\"]*/held by SOMEBODY/"; echo "exit ${PIPESTATUS[0]}" # files
flock memory/lock mem get /k; echo "exit $?" # files

# 6: the file system says no.
echo 'a file' > file
mem --root ./file set /k 1 -s chat; echo "exit $?"
mem --root ./file ls; echo "exit $?"
mem --root ./file/below set /k 1 -s chat; echo "exit $?"
mem --root ./file get /k --json; echo "exit $?"
