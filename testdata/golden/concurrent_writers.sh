# Writers at the same time: every acknowledged write is there once, and every line is whole.
export MEM_ROOT=memory
for w in 1 2 3 4; do (for n in 1 2 3 4 5; do mem set /w$w/$n "$n" -s "writer $w" -q; done) & done; wait
mem ls -1 | sort | tr '\n' ' '; echo
wc -l < memory/log.jsonl # files
mem query --history .ts | sort -u | wc -l

# All of them to one key: one of the last wins, nobody is lost from the history.
for w in 1 2 3 4; do mem set /same "$w" -s "writer $w" -q & done; wait
mem history /same | wc -l
test "$(mem get /same)" = "$(mem history /same | head -n 1 | cut -f 4)" && echo 'the newest'

# Only one of them finds the key absent.
for w in 1 2 3 4; do (mem set /once "$w" -s "writer $w" -q --if-absent >/dev/null 2>&1; echo "exit $?") & done | sort | uniq -c | sed 's/^ *//'

# Batches, single writes, compactions and readers all at once.
for b in 1 2; do (for n in $(seq 200); do echo "{\"key\":\"/b$b/$n\",\"content\":$n}"; done | mem set - -s "batch $b" -q) & done
for n in 1 2 3; do mem compact -q & mem set /single/$n 1 -s chat -q & mem read >/dev/null & mem fsck -q & done
wait
mem ls -1 /b1 | wc -l; mem ls -1 /b2 | wc -l; mem ls -1 /single | wc -l
mem fsck -q; echo "exit $?"
