# postgres: yes
# needs: jq
# A whole store with its history: what was replaced, deleted, has expired, waits, or is an agent's own.
mem --root from set /user/style '"tabs"' -s chat -q; mem --root from set /user/style '"spaces"' -s chat -q
mem --root from set /gone 1 -s chat -q; mem --root from rm /gone
mem --root from set /flat '"a key of one segment"' -s chat -q
mem --root from set /user/over --text 'a day that is over' --expires 2026-02-22T09:00:00Z -s chat -q
mem --root from note 'a fact' -q; mem --root from note 'another' -q; mem --root from forget m-2 -q
mem --root from journal 'a thought' --agent ada -q
mem --root from session create --id s1 -q > /dev/null; mem --root from remember s1 'it works' --type finding -q > /dev/null
mem --root from set /kb/x '{"text":"y"}' -s web --on-untrusted quarantine -q
mem --root from set /secret/plan '"attack at dawn"' -s chat -q; mem --root from forget /secret/plan --purge --yes -q
echo 'some bytes' | mem --root from artifact add - -q > /dev/null
mem --root from config set memory.max_total 7
mem copy from to --dry-run | cut -f 1,2
ls to # files
mem copy from to | cut -f 1,2

# Both are the same, but for what is made from the history.
cmp from/log.jsonl to/log.jsonl && cmp from/config.json to/config.json && diff -r from/artifacts to/artifacts && diff -r from/index to/index && echo same # files
mem --root to get /user/style; mem --root to history /gone | cut -f 1,2; mem --root to notes --jq .count; mem --root to note 'one more'
mem --root to session list | cut -f 1-3; MEM_AGENT=ada mem --root to memories --agent ada | cut -f 2-4
mem --root to history /secret/plan | cut -f 2,3
jq -c 'select(.op=="copy")|.count' to/ops.jsonl # files

# A target that holds something is refused, be it a copy.
mem --root to forget m-3 --purge --forget-key --yes -q; mem --root from set /flat 2 -s chat -q
mem copy from to; echo "exit $?"; mem copy from new --jq '[.versions,.artifacts,.config]'; mem --root new get /flat
