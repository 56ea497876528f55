# Tags, importance and expiry change; nothing else does, and no memory gets younger.
# needs: jq
export MEM_ROOT=memory
mem set /project/db '{"n":1.50,"text":"port 5432","tags":["infra"],"z":{"a":1e2}}' --kind web --name x.org --url https://x.org -q
export MEM_NOW=2026-03-01T10:00:00Z
mem touch /project/db --tag +db,-infra --importance 9; mem get /project/db
mem get /project/db --jq .source | jq -c '{kind,edited}'
mem touch /project/db --tag db --importance 9; mem touch /project/db --tag +db --json
mem touch project/db --ttl 2d -q; mem get /project/db --jq .content.expired_at
mem --now 2026-04-01T00:00:00Z touch /project/db --expires never -q; mem --now 2026-04-01T00:00:00Z get /project/db
mem touch /project/db /none --tag -db; echo "exit $?"
mem touch /project/db /none --tag x --json 2>/dev/null | jq -c '[.touched[].key, .missing]'
mem set /text '"only text"' -s chat -q; mem touch /project/db /text --tag y; echo "exit $?"; mem get /project/db --jq .content.tags
mem touch /project/db; mem touch /project/db --tag +; mem touch /project/db --importance 11; mem touch /project/db --expires soon; echo "exit $?"
mem note 'a fact' -q; mem touch m-1 --tag important -q; mem notes --tag important --jq '.memories[].id'
mem read --tags db | head -n 3

# What a touch does not change it does not warn of.
mem set /one '{"text":"x","importance":1}' -s chat -q 2>/dev/null; mem touch /one --tag x; mem touch /one --importance 0.5 -q; mem touch /one --importance 1 | wc -l
mem set /soon '{"text":"x","created_at":"soon"}' -s chat | wc -l; mem touch /soon --tag x | wc -l
