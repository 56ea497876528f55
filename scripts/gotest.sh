#!/bin/sh
# Run go test with the arguments given, and list at the end what this machine could not hold.
# MEM_SWEEP=sample runs a part of each sweep, which MEM_SEED draws: another one each time, unless it
# is set.
set -u
if [ "${MEM_SWEEP-}" = sample ]; then
	export MEM_SEED="${MEM_SEED:-$(date +%s)}"
	echo "Of each sweep a part runs, drawn by SEED=$MEM_SEED; make test SWEEP=all takes the whole."
fi
MEM_SKIPS=$(mktemp) || exit 1
export MEM_SKIPS
trap 'rm -f "$MEM_SKIPS"' EXIT
# A machine that is busy takes longer than the ten minutes that a package has by itself. Twice as
# many packages and tests run at once as there are cores: some of them wait, for processes or for a
# time.
jobs=$((2 * $(getconf _NPROCESSORS_ONLN)))
# Results are not kept for a later run: for the key of one, go looks again at each path that the
# tests have opened or asked for, which takes nearly as long as the tests.
go test -count=1 -timeout 30m -p "$jobs" -parallel "$jobs" "$@"
status=$?
if [ -s "$MEM_SKIPS" ]; then
	echo "What was not held here:"
	sort -u "$MEM_SKIPS" | sed 's/^/  /'
fi
if [ "${MEM_SWEEP-}" = sample ] && [ $status -ne 0 ]; then
	echo "To draw the same parts of the sweeps again: make test SEED=$MEM_SEED"
fi
exit $status
