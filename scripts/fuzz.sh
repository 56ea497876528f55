#!/bin/sh
# Run every fuzz target of the module for the time given ($1, default 30s): go test takes one target at a time.
set -eu
for pkg in $(go list ./...); do
	dir=$(go list -f '{{.Dir}}' "$pkg")
	for target in $(cat "$dir"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do
		echo "$pkg $target"
		go test "$pkg" -run '^$' -fuzz "^$target\$" -fuzztime "${1:-30s}"
	done
done
