# Nothing is written where a copy makes no sense.
# fsck: dirty
mem --root from set /user/a 1 -s chat -q; mem --root from set /user/b 1 -s chat -q
mem copy from; mem copy; mem copy from to more; mem copy '' to; echo "exit $?"
mem copy nowhere to; mem copy nowhere to --json; mkdir empty; mem copy empty to; echo "exit $?"
ln -s from link; mem copy from from; mem copy from link; mem copy link ./from/; mem copy from from/copy; mem copy from .; echo "exit $?"
mem copy from to --root x; MEM_ROOT=x mem copy from to --layer user; echo "exit $?"
MEM_AGENT=ada mem copy from to; echo "exit $?"
CLAUDECODE=1 mem copy from to; echo "exit $?"
ls

# A target with something of its own.
mem --root other set /mine 1 -s chat -q; mem copy from other; echo "exit $?"
mem --root other ls -1; mem cp from to; echo "exit $?"

# A source that is damaged: what cannot be read is told, and what is lost by it.
mem --root from compact -q; sed -i 's|"/user/b"|"/user/x"|' from/log.jsonl
mem copy from to; echo "exit $?"
