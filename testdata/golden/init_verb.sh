# Making a store in a project.
mem init; echo "exit $?"
mem init; echo "exit $?"
ls -A .mem
mkdir -p deep/er
(cd deep/er && mem set /k 1 -s chat)
mem get /k
mem init --json
mem --root elsewhere init
MEM_ROOT=by-variable mem init --quiet
mem init here; echo "exit $?"
