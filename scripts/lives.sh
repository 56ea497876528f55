#!/bin/sh
# Run lives (internal/test/life) for some hours, in one process for each core, and print the seed of
# each run. A failing life stops its process; it is printed with the command that shows it again.
set -u
cd "$(dirname "$0")/.." || exit 1
hours=${1:-1}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
go test -c -o "$dir/lives" ./cmd/memd || exit 1
cd cmd/memd || exit 1
end=$(awk "BEGIN { print int($(date +%s) + $hours * 3600) }")

# run NUMBER: lives with one seed after the other, until the time is over or one fails
run() {
	seed=$(($(date +%s) * 100 + $1))
	while [ "$(date +%s)" -lt "$end" ]; do
		echo "seed $seed: 200 lives"
		if ! MEM_LIVES=200 "$dir/lives" -test.run '^TestLives$' -test.timeout 0 -rapid.nofailfile \
			-rapid.shrinktime 2m -rapid.seed "$seed" >"$dir/$1.txt" 2>&1; then
			grep -v '\[rapid\] draw' "$dir/$1.txt"
			return 1
		fi
		seed=$((seed + 100000000000))
	done
}

pids=
for n in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
	run "$n" &
	pids="$pids $!"
done
status=0
for pid in $pids; do
	wait "$pid" || status=1
done
exit $status
