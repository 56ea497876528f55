#!/bin/sh
# Install what the tests of the page drive: Debian's Chromium, fonts for Chinese, and axe-core (npm), at a pinned version, into a cache directory outside the repository.
# Prints that directory. A second run finds all there.
set -eu
axe="axe-core@4.14.1"

missing=""
command -v chromium >/dev/null || missing="chromium"
fc-list 2>/dev/null | grep -q "Noto Sans CJK" || missing="$missing fonts-noto-cjk"
fc-list 2>/dev/null | grep -q "Inter" || missing="$missing fonts-inter"
if [ -n "$missing" ]; then
	command -v apt-get >/dev/null || { echo "install.sh: these are not here, nor is apt-get: $missing" >&2; exit 1; }
	echo "installing $missing" >&2
	# shellcheck disable=SC2086 # a list
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >&2
fi

cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache=${cache:-/tmp}/mem-page
if [ "$(cat "$cache/installed" 2>/dev/null)" != "$axe" ]; then
	command -v npm >/dev/null || { echo "install.sh: npm is not here; it comes with Node.js" >&2; exit 1; }
	mkdir -p "$cache"
	rm -f "$cache/installed"
	npm install --prefix "$cache" --no-audit --no-fund --no-package-lock --loglevel=error "$axe" >&2
	echo "$axe" >"$cache/installed"
fi
echo "$cache"
