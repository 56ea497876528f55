#!/bin/sh
# The main job of mem on real input: what this project's own history says becomes an agent's memory. $1 is the binary.
set -eu
cd "$(dirname "$0")/.."
mem=$(pwd)/${1:-bin/mem}
MEM_ROOT=$(mktemp -d)/memory
export MEM_ROOT
trap 'rm -rf "$(dirname "$MEM_ROOT")"' EXIT
bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi
say() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; }

say "one 'mem set' for each commit of this project"
git log --reverse --format='%h%x09%cI%x09%s' | while IFS="$(printf '\t')" read -r hash when subject; do
	"$mem" set -q "/project/mem/commit/$hash" --type finding --text "$subject" \
		--kind tool --name 'git log' --locator "{\"commit\":\"$hash\"}" --retrieved-at "$when"
done
"$mem" set -q /user/preference/style '{"type":"preference","summary":"用户喜欢中文、偏好简洁","importance":9,"tags":["language"]}' --source chat
"$mem" set -q /user/calendar/2026-02-23_10-00_牙科复诊 '{"type":"reminder","text":"明天10点牙科复诊","importance":8}' --source chat

say "mem read --token-limit 300"
"$mem" read --token-limit 300
say "ls \$MEM_ROOT/index/user/calendar/"
ls "$MEM_ROOT/index/user/calendar/"
say "grep -c 牙科 \$MEM_ROOT/log.jsonl"
grep -c 牙科 "$MEM_ROOT/log.jsonl"
say "mem get /user/preference/style"
"$mem" get /user/preference/style
say "mem search 牙科; mem search crash log --limit 3"
"$mem" search 牙科
"$mem" search crash log --limit 3
say "a prompt as a coding agent's hook sends it, and what its model is told"
echo '{"hook_event_name":"UserPromptSubmit","session_id":"demo","prompt":"什么时候牙科复诊？"}' | "$mem" hook claude-code
say "mem rm, mem history: nothing is lost"
"$mem" rm /user/calendar/2026-02-23_10-00_牙科复诊
"$mem" history /user/calendar/2026-02-23_10-00_牙科复诊
say "mem compact && mem fsck && mem stat"
"$mem" compact
"$mem" fsck
"$mem" stat
