#!/bin/sh
# The main job of mem on real input: this project's own history is the memory, and two sessions of an
# agent use it. $1 is the binary. Everything is stored below a home that is removed at the end.
set -eu
cd "$(dirname "$0")/.."
PATH=$(pwd)/$(dirname "${1:-bin/mem}"):$PATH
HOME=$(mktemp -d)
XDG_DATA_HOME=$HOME/.local/share
export PATH HOME XDG_DATA_HOME
unset MEM_ROOT
trap 'rm -rf "$HOME"' EXIT
bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi

# say shows the reason of a step, run a command and what it prints.
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
run() { printf '$ %s\n' "$1" && eval "$1"; }

# hook sends an event as Claude Code's hooks do, and shows what its model gets to see.
hook() {
	printf '$ mem hook claude-code  # %s\n' "$1"
	printf '%s' "$2" | mem hook claude-code | awk '{
		sub(/.*additionalContext":"/, ""); sub(/"}}$/, ""); gsub(/\\n/, "\n"); gsub(/\\"/, "\""); printf "%s", $0 }' |
		awk 'length > 110 { $0 = substr($0, 1, 107) "..." } NR <= 9 { print } NR > 9 { more++ }
			END { if (more) print "... and " more " lines more" }'
}

say "1. This project's history becomes its memory: one record for each commit, in one batch."
run "git log --reverse --format='%h%x09%cI%x09%s' | awk -f scripts/demo.awk | mem set -q -"
run "mem ls --limit 0 | wc -l"

say "2. Monday: an agent finds something out, and notes it."
run "mem note 'Lock a file that is never renamed or removed: flock holds the inode, not the name' --file log/lock.go"
id=$(mem notes --jq '.memories[0].id')

say "3. Tuesday: the next session starts, and its hook brings what it should know."
hook "a session starts" '{"hook_event_name":"SessionStart","session_id":"tuesday"}'

say "4. A prompt brings what the history says about it. The note was given above: not twice."
hook "a prompt" '{"hook_event_name":"UserPromptSubmit","session_id":"tuesday","prompt":"Which commits were about the words of wallets?"}'

say "5. A sub-agent, which has not seen the note, edits the file that it is about."
hook "an edit of log/lock.go" '{"hook_event_name":"PreToolUse","session_id":"sub","tool_name":"Edit","tool_input":{"file_path":"log/lock.go"}}'

say "6. A correction replaces the note; the history keeps both."
run "mem note 'Lock log.jsonl.lock, a file that is never renamed or removed: flock holds the inode' --file log/lock.go --replaces $id"
run "mem search 'which file is locked' --limit 1"
run "mem history /note/workspace/$id"

say "7. Any script is searched by its words."
run "mem set /user/calendar/2026-02-23_10-00_牙科复诊 --type reminder --text '明天10点牙科复诊，带上病历' --source chat -q"
run "mem search 牙科"

say "8. A purge leaves no copy, in no file. It is a person's decision: in an agent's shell it is refused."
run "mem forget /user/calendar/2026-02-23_10-00_牙科复诊 --purge --yes || true"
run "grep -rl 带上病历 ~/.local/share | wc -l"

say "9. All of it is files; any of them can be checked."
run "ls ~/.local/share/mem-projects/*/"
run "mem fsck"
