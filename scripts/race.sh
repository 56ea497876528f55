#!/bin/sh
# Run the packages of scripts/race.txt under the race detector. "race.sh rest" prints the packages
# of which it does not run every test: they are left for a run without it.
set -u
cd "$(dirname "$0")/.." || exit 1
list=scripts/race.txt
if [ "${1-}" = rest ]; then
	whole=$(go list $(awk '!/^#/ && NF == 1 { print $1 }' $list)) || exit 1
	go list ./... | grep -Fvx "$whole"
	exit
fi
export CGO_ENABLED=1
sh scripts/gotest.sh -race -vet=off $(awk '!/^#/ && NF == 1 { print $1 }' $list)
status=$?
while read -r package pattern; do
	case $package in '#'*) continue ;; esac
	[ -z "$pattern" ] || sh scripts/gotest.sh -race -vet=off -run "$pattern" "$package" || status=1
done <$list
exit $status
