# postgres: no (it damages files)
# State, checkpoint, watermark and modes: all of it can be lost or wrong, and comes back.
export MEM_ROOT=memory
for n in 1 2 3; do mem set /n/$n "$n" -s chat -q; done
mem compact -q
mem set /n/4 4 -s chat -q

# A line of state.jsonl dropped.
sed -i.bak 2d memory/state.jsonl; rm memory/state.jsonl.bak
mem ls -1
mem fsck; echo "exit $?"
mem fsck --repair | tail -n 1; mem fsck; echo "exit $?"

# The watermark deleted, or damaged.
rm memory/watermark
mem get /n/2; mem ls -1 | wc -l
mem fsck; echo "exit $?"
mem set /n/5 5 -s chat -q; mem fsck; echo "exit $?"
echo nonsense > memory/watermark
mem get /n/2
mem fsck | cut -d : -f 1; mem fsck --repair >/dev/null; mem fsck; echo "exit $?"

# Everything derived deleted.
rm -r memory/index memory/state.jsonl memory/checkpoint.json memory/watermark
mem ls -1 | tr '\n' ' '; echo
mem set /n/6 6 -s chat -q
find memory/index -type f | wc -l
mem fsck; echo "exit $?"

# Readable for others.
chmod 644 memory/log.jsonl; chmod 755 memory/index
mem fsck; echo "exit $?"
mem fsck --repair | tail -n 1
stat -c %a memory/log.jsonl memory/index

# A line from the future, as a clock gone wrong or a merge leaves it.
echo '{"key":"/f","ts":"2036-01-01T00:00:00.000000Z","valid":true,"source":"merge","content":1}' >> memory/log.jsonl
mem fsck; echo "exit $?"
mem fsck --repair | tail -n 1
mem history /f
mem fsck; echo "exit $?"

# The mode of the store's own directory.
chmod 777 memory; mem fsck; mem fsck --repair; stat -c %a memory
