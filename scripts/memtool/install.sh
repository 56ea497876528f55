#!/bin/sh
# Install the SDK whose memory tool ours is held against, at a pinned version, into a cache directory outside the repository, and print that directory.
set -eu
package="@anthropic-ai/sdk@1.11.0"

cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache=${cache:-/tmp}/mem-memtool
if [ "$(cat "$cache/installed" 2>/dev/null)" != "$package" ]; then
	command -v npm >/dev/null || { echo "install.sh: npm is not here; it comes with Node.js" >&2; exit 1; }
	mkdir -p "$cache"
	rm -f "$cache/installed"
	echo "installing $package into $cache" >&2
	npm install --prefix "$cache" --no-audit --no-fund --no-package-lock --loglevel=error "$package" >&2
	echo "$package" >"$cache/installed"
fi
echo "$cache"
