#!/bin/sh
# Run go test with the arguments given, and list at the end what this machine could not hold.
set -u
MEM_SKIPS=$(mktemp) || exit 1
export MEM_SKIPS
trap 'rm -f "$MEM_SKIPS"' EXIT
# A machine that is busy takes longer than the ten minutes that a package has by itself.
go test -timeout 30m "$@"
status=$?
if [ -s "$MEM_SKIPS" ]; then
	echo "What was not held here:"
	sort -u "$MEM_SKIPS" | sed 's/^/  /'
fi
exit $status
