# needs: jq
# The store among the tools of the shell.
export MEM_ROOT=memory
for n in 1 2 3; do mem --now 2026-02-2${n}T10:00:00Z set /task/$n "{\"type\":\"task\",\"text\":\"task $n\",\"importance\":$((10 - n * 3))}" -s chat -q; done
path=$(mem set /user/name '{"text":"Ada"}' -s chat)
cat "$path" | jq -r .content.text # files
mem ls -1 /task | xargs -n1 mem get | jq -r .text
mem ls /task | sort -t "$(printf '\t')" -k 4 -r | cut -f 1
find memory/index -name '*.json' -exec jq -r 'select(.content.importance > 3) | .key' {} + | sort # files
jq -s -r 'sort_by(.content.importance)[] | .content.text // empty' memory/index/task/*.json # files
grep -l 'task 2' -r memory/index # files
sort -u memory/log.jsonl | wc -l # files
mem query -r '.content.text // empty' | sort | uniq -c | sed 's/^ *//'
jq -c '{key, content: (.content + {done: true})}' memory/index/task/*.json | mem set - --source 'done today' # files
mem get /task/1 | jq .done # files
mem ls --json | jq -r '.memories[].key' | head -n 1
mem ls -1 | head -n 1
tail -n 2 memory/log.jsonl | jq -r .key # files
