# The store in numbers.
export MEM_ROOT=memory
mem stat; echo "exit $?"
mem --now 2026-02-20T10:00:00Z set /user/name '{"text":"Ada"}' -s chat -q
mem set /user/gone '{"text":"over","expired_at":"2026-02-22T09:00:00Z"}' -s chat -q
mem set /task/1 '{"text":"do"}' -s chat -q
mem set /task/2 '{"text":"do"}' -s chat -q
mem set /kb/x '{"text":"rumour"}' -s hearsay --on-untrusted quarantine -q
mem set /task/2 null -s chat
mem stat
mem compact
mem stat --json # files
mem stat --jq "del(.expired, .state_bytes)"
mem stat --jq .live
