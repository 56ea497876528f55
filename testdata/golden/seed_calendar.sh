# The calendar scenario of 1.3: write, wake, find, remind, void; and an appointment that comes back every week.
export MEM_ROOT=memory
me='{"kind":"user","name":"chat","retrieved_at":"2026-02-22T10:00:00Z","locator":{"conversation_id":"c1","message_id":"m1"}}'

# The user asks for two things.
mem set /user/calendar/2026-02-23_10-00_牙科复诊 '{"type":"reminder","text":"明天10点牙科复诊","importance":8,"trigger_at":"2026-02-23T10:00:00-08:00"}' --source "$me"
mem set /user/calendar/weekly_垃圾 '{"type":"reminder","text":"每周一倒垃圾","repeat":"weekly","next_trigger_at":"2026-02-23T08:00:00-08:00"}' --source "$me"

# A timer wakes the agent, which looks at the passive read, or asks the files.
export MEM_NOW=2026-02-23T18:00:30Z
mem read --tags health
ls memory/index/user/calendar # files
mem query -r 'select(.content.trigger_at // .content.next_trigger_at) | .key'

# It reminds; the single one is voided, the weekly one moves on.
mem rm /user/calendar/2026-02-23_10-00_牙科复诊 --kind agent --name reminder_done --locator '{"reason":"sent"}'
mem get /user/calendar/weekly_垃圾 --jq '.content | .next_trigger_at="2026-03-02T08:00:00-08:00"' | mem set /user/calendar/weekly_垃圾 - --kind agent --name reminder --locator '{"reason":"sent"}'

# A week later only the weekly one is left, with its whole history.
export MEM_NOW=2026-03-02T16:00:00Z
mem read
ls memory/index/user/calendar # files
mem history /user/calendar/weekly_垃圾
mem history /user/calendar/2026-02-23_10-00_牙科复诊
