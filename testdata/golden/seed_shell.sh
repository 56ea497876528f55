# needs: jq
# The three queries of 6.3, word for word, on a store in ./memory; mem is not needed to read.
chat='{"kind":"user","name":"chat"}'
mem --root memory set /user/calendar/2026-02-23_10-00_牙科复诊 '{"type":"reminder","text":"明天10点牙科复诊"}' -s "$chat" >/dev/null
mem --root memory set /user/calendar/2026-03-01_09-00_dentist '{"type":"reminder","text":"see <the> dentist & pay"}' -s "$chat" >/dev/null
mem --root memory set /user/name '{"text":"Ada"}' -s "$chat" >/dev/null
mem --root memory set /user/calendar/2026-03-01_09-00_dentist null -s "$chat"

# 浏览所有日程条目（目录索引）
ls memory/index/user/calendar/

# 查找关键词（日志）
grep "牙科" memory/log.jsonl

# 用 jq 过滤有效提醒（如果 content 有 type/importance 等字段）
cat memory/log.jsonl | jq 'select(.valid==true and .content.type=="reminder")'

# The tombstone hides the dentist only from those who ask for the newest line of each key.
jq -s -c 'group_by(.key) | map(max_by(.ts)) | .[] | select(.valid and .content.type=="reminder") | .key' memory/log.jsonl
cat memory/index/user/calendar/*.json | jq -r .content.text
grep -rl 牙科 memory/index
