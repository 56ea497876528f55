# postgres: no (it damages the log)
# A damaged line: what asks for its key says so, once, and what it answers is never older unseen.
export MEM_ROOT=memory
mem set /k '"first"' -s chat -q
mem set /k '"second"' -s chat -q
mem set /only '"alone"' -s chat -q
ts=$(mem history /k | tail -n 1 | cut -f 1)
sed -i.bak -e 's/"content":"second"/"content":"sekond"/' -e 's/"content":"alone"/"content":"blone"/' memory/log.jsonl; rm memory/log.jsonl.bak; rm -r memory/index
mem get /k; echo "exit $?"
mem get /only; echo "exit $?"
mem get /none; echo "exit $?"
mem get m-7; echo "exit $?"
mem set /k '"mine"' --if-ts $ts -s chat; echo "exit $?"
mem fsck --repair | tail -n 1; mem history /k | cut -f 4
