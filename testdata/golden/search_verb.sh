# needs: jq
# Finding memories by their words, with the full text of a compacted store, without it, and with what came since.
export MEM_ROOT=memory
mem search anything; echo "exit $?"
mem set /user/calendar/dentist '{"type":"reminder","text":"明天10点牙科复诊","importance":8,"tags":["health.teeth"]}' -s chat -q
mem set /project/decision/db '{"type":"decision","summary":"We chose PostgreSQL over SQLite for the billing service","tags":["db","billing"],"importance":7}' -s chat -q
mem set /project/decision/ui '{"type":"decision","summary":"The dashboards are rendered on the server","tags":["ui"]}' -s chat -q
mem set /project/note/parser '{"type":"finding","text":"ParseHTTPHeader in net/header.go fails with ERR_TOO_LONG","tags":["bug"]}' -s chat -q
mem set /old/offer '{"text":"The billing offer","expired_at":"2026-02-22T09:00:00Z"}' -s chat -q
mem set /web/page '{"text":"billing rumours"}' --kind web --name blog --on-untrusted quarantine -q 2>/dev/null
mem search billing
mem compact -q
mem search billing
mem search billing database chosen --why # files
mem search billing database chosen --why | cut -f 1-3
mem set /project/decision/db2 '{"type":"decision","summary":"Billing moves to a replica"}' -s chat -q
mem search billing
mem rm /project/decision/db
mem search billing

# In every script, by parts of names, by phrases.
mem search 牙科
mem search 复诊的牙科
mem search header
mem search err_too_long
mem search '"rendered on the server"'
mem search 'dash*'
mem search 'decision -replica'
mem search 'key:/project/note fails'

# Conditions.
mem search type:decision
mem search the --type decision,finding --tag ui
mem search 牙科 --tag health
mem search 牙科 --tag '!health'; echo "exit $?"
mem search 牙科 --min-importance 9; echo "exit $?"
mem search 牙科 --since 1h
mem search 牙科 --until 2026-02-01; echo "exit $?"
mem search 牙科 --prefix /project; echo "exit $?"

# Conditions alone: what they let pass, newest first.
mem search --type decision
mem search --tag health
mem search --since 1h --limit 2
mem search --min-importance 8
mem search --until 2026-02-01; echo "exit $?"
mem search --prefix /project/note --json --jq '.memories[].key'
mem search '' --tag ui

# For programs.
mem search 牙科 --json # files
mem search 牙科 --jq "del(.memories[].score)"
mem search rendered --json --jq '.memories[].key'
mem search nothing-of-the-kind --json; echo "exit $?"

# Damaged or without its full text, a search finds the same.
printf x | dd of=memory/cache/fts bs=1 seek=40 conv=notrunc status=none # files
mem search 牙科 --log-level debug # files
rm -r memory/cache # files
mem search rendered

# For a prompt.
mem read --query 'who sees the dentist, 牙科' --token-limit 60
mem read --query 'quantum gravity'

# Wrong input.
mem search; echo "exit $?"
mem search ' '; echo "exit $?"
mem search billing -replica; echo "exit $?"
mem search -- billing -dentist; mem search billing --no-such; echo "exit $?"
mem search x --since yesterday; echo "exit $?"
mem search x --limit 0; echo "exit $?"
mem search x --min-importance 11; echo "exit $?"
mem search x --tag ','; echo "exit $?"
mem search 'key:/a//b x'; echo "exit $?"

# The id of a note is no word of its text.
mem note 'Prices are net' -q; mem search m-1; mem search m-1 --json -q | jq .count; mem search m-9; echo "exit $?"
