# needs: jq
# A.1 to A.4 of the requirements, word for word, in a store called ./memory.
export MEM_ROOT=memory

# A.1: a preference out of a conversation.
mem set /user/preference/style '{"type":"preference","summary":"用户喜欢中文、偏好简洁","importance":6,"tags":["language","style"]}' --source '{"kind":"user","name":"chat","retrieved_at":"2026-02-22T10:00:00Z","locator":{"conversation_id":"c1","message_id":"m9"}}'

# A.2: an appointment.
mem set /user/calendar/2026-02-23_10-00_牙科复诊 '{"type":"reminder","text":"明天10点牙科复诊","importance":8,"tags":["health"],"trigger_at":"2026-02-23T10:00:00-08:00"}' --source '{"kind":"user","name":"chat","retrieved_at":"2026-02-22T10:01:00Z","locator":{"conversation_id":"c1","message_id":"m10"}}'
mem read
ls memory/index/user/calendar/ # files

# A.3: the reminder was sent, so it is voided.
mem set /user/calendar/2026-02-23_10-00_牙科复诊 null --source '{"kind":"agent","name":"reminder_done","retrieved_at":"2026-02-23T10:02:00-08:00","locator":{"reason":"sent"}}'
mem read
find memory/index -name '*牙科*' # files

# A.4: knowledge from outside, with its provenance.
mem set /kb/product/iphone16/spec '{"type":"kb","data":{"chip":"A18"},"summary":"iPhone16 主要规格汇总"}' --source '{"kind":"web","name":"apple.com","retrieved_at":"2026-02-22T10:05:00Z","locator":{"url":"https://..."}}'
mem read

# What the log holds of all this: five fixed fields, and the checksum.
jq -r '[.key, .ts, .valid, .source.kind, .content.type // "-"] | @tsv' memory/log.jsonl # files
jq -c 'keys_unsorted' memory/log.jsonl # files
cat memory/log.jsonl # files
