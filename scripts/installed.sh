#!/bin/sh
# Say where make install has put mem, and what to type if a shell does not find it there.
set -eu
target=$1
dir=$(dirname "$target")
found=$(command -v mem || true)
echo "installed $target"
if [ -z "$found" ]; then
	echo "mem is not in the PATH. Type this, and put it into your shell's profile:"
elif ! [ "$found" -ef "$target" ]; then
	echo "mem in the PATH is another program, $found. Type this, and put it into your profile:"
else
	exit 0
fi
quoted=$(printf '%s' "$dir" | sed "s/'/'\\\\''/g")
echo "    export PATH='$quoted':\"\$PATH\""
