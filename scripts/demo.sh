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
say() { printf '\n%s%s%s\n' "$bold" "$(printf '%s' "$*" | fold -s -w 80)" "$plain"; }
run() { printf '$ %s\n' "$1" && eval "$1"; }

# hook sends an event as Claude Code's hooks do, and shows the text that its model gets.
hook() {
	printf '$ mem hook claude-code  # %s\n' "$1"
	printf '%s' "$2" | mem hook claude-code | awk '{
		sub(/.*additionalContext":"/, ""); sub(/"}}$/, ""); gsub(/\\n/, "\n"); gsub(/\\"/, "\""); printf "%s", $0 }' |
		fold -s -w 80 | awk -v most="${3:-30}" 'NR <= most { print }
			NR > most { more++ } END { if (more) print "... and " more " lines more" }'
}

say "1. The commits on three packages of this project become memories, in one batch."
run "git log --reverse --format='%h%x09%cI%x09%s' \\
    -- log internal/rule/secret internal/view/inject |
    awk -f scripts/demo.awk | mem set -q -"
run "mem ls --limit 0 | wc -l"

say "2. Monday: an agent finds something out, and notes it, with the file it is about."
run "mem note --file log/lock.go \\
    'A lock must be on a file that is never renamed: it holds the inode only'"

say "3. Tuesday: a new session starts. Its hook brings the note first, since it says what must be, and commits after it."
hook "a session starts" '{"hook_event_name":"SessionStart","session_id":"tuesday"}' 9

prompt='How do we find the words of crypto wallets?'
say "4. The user types a prompt, and the hook brings the commits on its subject. The note is not repeated."
hook "prompt: $prompt" '{"hook_event_name":"UserPromptSubmit","session_id":"tuesday","prompt":"'"$prompt"'"}'

say "5. A sub-agent, which has not seen the note, edits the file that the note is about."
hook "edit of log/lock.go" '{"hook_event_name":"PreToolUse","session_id":"sub","tool_name":"Edit","tool_input":{"file_path":"log/lock.go"}}'

say "6. A correction replaces the note m-1. Its history keeps the old text, and says what replaced it."
run "mem note --file log/lock.go --replaces m-1 -q \\
    'A lock must be on a file that is never renamed, log.jsonl.lock here'"
run "mem search 'which file is locked' --limit 1"
run "mem history m-1 --jq '.memories[].content | .superseded_by // .text'"

say "7. Words are found in any script."
run "mem set /user/calendar/牙科复诊 --type reminder -s chat -q \\
    --text '明天10点牙科复诊，带上病历'"
run "mem search 牙科"

say "8. A purge leaves no copy in any file. mem asks a person first; --yes is that person's answer, \
given here for the demo's own memory. In an agent's shell it is refused, with --yes too."
run "mem forget /user/calendar/牙科复诊 --purge --yes || true"
run "grep -rl 带上病历 ~/.local/share | wc -l"

say "9. All of it is files, and each of them can be checked."
run "ls ~/.local/share/mem-projects/*/"
run "mem fsck"
