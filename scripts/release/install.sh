#!/bin/sh
# Install mem and memd @VERSION@ into ~/.local/bin, without root.
#
#   curl -fsSL https://github.com/set-memory/mem/releases/latest/download/install.sh | sh
#
#   --prefix DIR   install into DIR/bin          --version X    another version
#   --uninstall    take mem out of the clients (mem setup --all --remove), delete both programs, keep the memories
#   --unsigned     accept a release without a signature
#
# The archive is checked against checksums.txt, and that against its signature (ECDSA P-256, SHA-256) by openssl.
set -eu

# One function, called in the last line: a download that is cut off runs nothing.
main() {
	version='@VERSION@'
	key='@PUBLIC_KEY@'
	prefix=${HOME:?HOME is not set}/.local
	unsigned= uninstall=
	base=${MEM_INSTALL_URL:-https://github.com/set-memory/mem/releases/download}
	while [ $# -gt 0 ]; do
		case $1 in
		--prefix) prefix=${2:?--prefix: which directory?}; shift ;;
		--version) version=${2:?--version: which version?}; shift ;;
		--unsigned) unsigned=1 ;;
		--uninstall) uninstall=1 ;;
		*) fail "$1: no such flag" "the flags are --prefix DIR, --version X, --uninstall, --unsigned" ;;
		esac
		shift
	done
	case $prefix in
	/*) ;;
	*) fail "--prefix $prefix: not an absolute path" "begin it with / or ~/" ;;
	esac
	version=${version#v}
	bin=$prefix/bin
	if [ -n "$uninstall" ]; then
		remove
		return
	fi
	case $base in
	https://* | http://127.0.0.1:[0-9]* | http://localhost:[0-9]*) ;;
	*) fail "$base: not https" "unset MEM_INSTALL_URL" ;;
	esac
	case $base in
	*@*) fail "$base: it names a user" "unset MEM_INSTALL_URL" ;;
	esac
	if [ -z "$key" ] && [ -z "$unsigned" ]; then
		fail "this release is not signed" "--unsigned accepts it"
	fi
	temp=$(mktemp -d)
	trap 'rm -rf "$temp"' EXIT
	trap 'exit 1' HUP INT TERM
	system=$(system)
	machine=$(machine)
	name=mem_${version}_${system}_$machine
	fetch checksums.txt
	[ -n "$unsigned" ] || verify
	fetch "$name.tar.gz"
	check "$name.tar.gz"
	tar -xzf "$temp/$name.tar.gz" -C "$temp"
	mkdir -p "$bin" && [ -w "$bin" ] || fail "$bin: it cannot be written" "--prefix DIR installs elsewhere"
	for program in memd mem; do
		[ ! -d "$bin/$program" ] || fail "$bin/$program: it is a directory" "move it away"
	done
	new=$(mktemp -d "$bin/.mem-XXXXXX")
	trap 'rm -rf "$temp" "$new"' EXIT
	for program in memd mem; do
		# Renamed over the old one, which a hook may be running.
		cp "$temp/$name/$program" "$new/$program" || fail "$bin: no room" "free some, or --prefix DIR"
		chmod 755 "$new/$program"
		mv -f "$new/$program" "$bin/$program"
	done
	"$bin/mem" version
	case ":$PATH:" in
	*":$bin:"*) ;;
	*) echo "install.sh: $bin is not in the PATH: add  export PATH=\"$bin:\$PATH\"  to your shell's profile" ;;
	esac
	echo "next: mem setup"
}

fail() {
	echo "install.sh: $1" >&2
	echo "install.sh: hint: $2" >&2
	exit 1
}

system() {
	case $(uname -s) in
	Linux) echo linux ;;
	Darwin) echo darwin ;;
	*) fail "$(uname -s): no archive for this system" "on Windows unpack the zip file of the release" ;;
	esac
}

machine() {
	case $(uname -m) in
	x86_64 | amd64) echo amd64 ;;
	aarch64 | arm64) echo arm64 ;;
	*) fail "$(uname -m): no archive for this machine" "build it: CGO_ENABLED=0 go install github.com/set-memory/mem/cmd/...@latest" ;;
	esac
}

fetch() {
	url=$base/v$version/$1
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL --proto '=https,http' --proto-redir '=https,http' -o "$temp/$1" "$url" || fail "$url: no such file, or no connection" "releases: https://github.com/set-memory/mem/releases"
	elif command -v wget >/dev/null 2>&1; then
		wget -qO "$temp/$1" "$url" || fail "$url: no such file, or no connection" "releases: https://github.com/set-memory/mem/releases"
	else
		fail "neither curl nor wget is here" "install one of them"
	fi
}

verify() {
	command -v openssl >/dev/null 2>&1 || fail "openssl is not here, so the signature cannot be checked" "install the package openssl"
	fetch checksums.txt.sig
	printf '%s\n' "$key" >"$temp/key.pem"
	openssl dgst -sha256 -verify "$temp/key.pem" -signature "$temp/checksums.txt.sig" "$temp/checksums.txt" >/dev/null 2>&1 ||
		fail "checksums.txt: the signature is wrong" "do not install it; report it as SECURITY.md says"
}

check() {
	want=$(grep "  $1\$" "$temp/checksums.txt" | cut -d ' ' -f 1)
	[ -n "$want" ] || fail "$1: checksums.txt does not list it" "look at the version"
	if command -v sha256sum >/dev/null 2>&1; then
		have=$(sha256sum "$temp/$1" | cut -d ' ' -f 1)
	elif command -v shasum >/dev/null 2>&1; then
		have=$(shasum -a 256 "$temp/$1" | cut -d ' ' -f 1)
	else
		fail "neither sha256sum nor shasum is here" "install the package coreutils"
	fi
	[ "$want" = "$have" ] || fail "$1: its checksum is wrong" "do not install it; download it again, and report it as SECURITY.md says"
}

remove() {
	[ -x "$bin/mem" ] || fail "$bin/mem: there is no mem" "--prefix DIR names where it was installed"
	"$bin/mem" version >/dev/null 2>&1 || fail "$bin/mem: it does not run" "install it again, then repeat --uninstall"
	"$bin/mem" setup --all --remove || fail "mem setup --all --remove failed" "repeat --uninstall after its hint; nothing is deleted"
	rm -f "$bin/mem" "$bin/memd"
	echo "removed $bin/mem and $bin/memd; the memories stay in ${XDG_DATA_HOME:-$HOME/.local/share}"
}

main "$@"
