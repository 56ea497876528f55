# What the commands of terminal_linux_test.go look at: two layers, long and wide texts, every state
# that a memory may be in.
set -e
git init -q app; cd app
at() { local when=$1; shift; mem --now 2026-02-$when "$@" -q > /dev/null; }
at 01T08:00:00Z set /user/name '{"type":"fact","text":"Ada","tags":["who"]}' -s chat
at 18T10:00:00Z set /user/style '{"type":"preference","summary":"tabs, and short functions; no comment that only says what the next line does","importance":0.9}' -s chat
at 19T10:00:00Z set /project/database '{"type":"fact","text":"The database listens on port 5432; the password is with Grace","tags":["infra"],"importance":0.8}' -s chat
at 20T10:00:00Z set /project/database '{"type":"fact","text":"The database listens on port 5433; the password is with Grace","tags":["infra"],"importance":0.8}' -s chat
at 20T10:00:00Z set /project/database '{"type":"fact","text":"The database listens on port 5434; the password is with Grace","tags":["infra"],"importance":0.8}' -s chat
at 20T11:00:00Z set /project/very/deep/key/that/goes/on/and/on/with/many/segments/until/it/is/longer/than/the/terminal '"deep"' -s chat
at 21T10:00:00Z set /project/family '"👨‍👩‍👧‍👦 eats at noon, 牙科复诊 at ten 👍🏽 🇩🇪"' -s chat
at 21T11:00:00Z set /项目/偏好/编辑器 '{"type":"preference","text":"用户喜欢中文，也喜欢短的函数"}' -s chat
at 21T12:00:00Z set /project/old '{"type":"decision","text":"deploy by hand"}' -s chat
at 21T13:00:00Z set /project/deploy '{"type":"decision","text":"deploy with make release"}' -s chat
at 21T14:00:00Z supersede /project/old /project/deploy
at 21T15:00:00Z set /project/spec '"x"' --kind web --name example.com --on-untrusted quarantine
at 21T15:30:00Z set /kb/spec '{"text":"from a page"}' -s chat --on-untrusted quarantine
at 21T16:00:00Z set /project/gone '"soon gone"' -s chat
at 21T17:00:00Z forget /project/gone --reason 'a mistake'
at 21T18:00:00Z set /project/short '{"text":"over","expired_at":"2026-02-21T19:00:00Z"}' -s chat
at 21T19:00:00Z note 'the staging port is 5435, behind the proxy of the office' --tag infra --tag network
at 21T20:00:00Z note 'answer in German' --scope user
at 21T21:00:00Z journal 'the tests are slow today' --agent ada
at 21T21:30:00Z core 'I look twice before I delete' --agent ada
at 21T22:00:00Z session create --user ada --id review_7
at 21T22:00:00Z session create --user grace --id planning_of_the_release
echo '{"hook_event_name":"SessionStart","session_id":"0b54ae7c-5c5b-4c57-b0a1-2b5b8e1a1f11"}' | mem --now 2026-02-22T08:00:00Z hook codex > /dev/null
echo '{"hook_event_name":"UserPromptSubmit","session_id":"0b54ae7c-5c5b-4c57-b0a1-2b5b8e1a1f11","prompt":"which port does the database use?"}' | mem --now 2026-02-22T08:05:00Z hook codex > /dev/null
