#!/bin/sh
# Run the tests of scripts/race.txt under the race detector. "race.sh rest" runs all others, without
# it: both together run each test once. "make lint" vets. A pattern counts in each package that has one, so that one
# run of the go command takes all of them.
set -u
cd "$(dirname "$0")/.." || exit 1
list=scripts/race.txt
whole=$(awk '!/^#/ && NF == 1 { print $1 }' $list)
parts=$(awk '!/^#/ && NF > 1 { print $1 }' $list)
patterns=$(awk '!/^#/ && NF > 1 { print $2 }' $list | paste -sd '|')
status=0
if [ "${1-}" = rest ]; then
	listed=$(go list $whole $parts) || exit 1
	sh scripts/gotest.sh -vet=off $(go list ./... | grep -Fvx "$listed") || status=1
	sh scripts/gotest.sh -vet=off -skip "$patterns" $parts || status=1
	exit $status
fi
export CGO_ENABLED=1
sh scripts/gotest.sh -race -vet=off $whole || status=1
sh scripts/gotest.sh -race -vet=off -run "$patterns" $parts || status=1
exit $status
