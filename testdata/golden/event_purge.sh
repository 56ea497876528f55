# needs: jq
# What an event has kept as an artifact goes with it; export and import say what is in no line.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
long() { seq 40000 | jq -Rsc --arg s "$1" '{session_id: $s, kind: "tool_result", actor: {type: "tool", id: "seq"}, content: {text: .}, tags: [$s]}'; }
e=$(long s1 | mem event - --jq .event_id); long s2 | mem event - -q > /dev/null; mem ls /artifact | wc -l
ls memory/artifacts | wc -l # files
mem forget $e 2>&1 | ids
mem forget $e --purge --yes --reason old | ids; mem ls /artifact | wc -l
ls memory/artifacts | wc -l # files
# Its refs are of another one's making: it stays.
a=$(echo 'a plan' | mem artifact add - --ref /event/s2/x); mem forget --session s2 --purge --yes --reason old | ids; mem ls /artifact | ids
ls memory/artifacts | wc -l # files
mem fsck
mem export > lines; mem import lines --root copy; mem fsck --root copy | grep -c absent
mem fsck --root copy | sed 's/[0-9a-f]\{64\}/SUM/g' | ids | head -1 # files
cp -r memory/artifacts copy/; mem fsck --root copy # files
echo 'a plan' | mem artifact add - --root copy -q > /dev/null; mem artifact get $a --root copy
