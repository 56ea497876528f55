# postgres: no (it damages the log)
# A line torn by a crash, and a line damaged in the middle.
export MEM_ROOT=memory
mem fsck; echo "exit $?"
mem set /a 1 -s chat -q
mem set /b 2 -s chat -q
mem set /c 3 -s chat -q
mem fsck; echo "exit $?"

# Torn: readers pass it over, fsck names it, the next write sets it aside.
printf '{"key":"/d","ts":"2026-02-22T10:00:00.0' >> memory/log.jsonl
mem ls -1
mem fsck; echo "exit $?"
mem set /e 5 -s chat -q
cat memory/quarantine/*; echo
mem fsck; echo "exit $?"
wc -l < memory/log.jsonl

# A whole line that only lost its newline is kept.
truncate -s -1 memory/log.jsonl
mem get /e
mem set /f 6 -s chat -q
mem ls -1 | tr '\n' ' '; echo
mem fsck; echo "exit $?"

# Damaged in the middle: what stands around it is read; a repair sets the line aside.
sed -i.bak '2s/"content":2/"content":7/' memory/log.jsonl; rm memory/log.jsonl.bak
mem ls -1 --log-level error | tr '\n' ' '; echo
mem fsck --log-level error; echo "exit $?"
mem fsck --repair; echo "exit $?"
mem fsck; echo "exit $?"
mem ls -1 | tr '\n' ' '; echo
grep -l '"/b"' memory/quarantine/* | wc -l
