# needs: jq
# An agent without a shell has one memory as its own: what it stores by tools the verbs find, and the other way round.
export MEM_ROOT=memory
ids() { sed -E 's/[0-9A-HJKMNP-TV-Z]{26}/ULID/g'; }
tool() { echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"; }
init='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1"}}}'
ask() { { echo "$init"; cat; } | mem mcp "$@" | jq -c 'select(.id == 1) | .error // .result | .isError, .structuredContent // .content // .'; }
tool mem_note '{"text":"The database is MySQL on port 3306","tags":["infra"]}' | ask
mem set /user/style '{"type":"preference","text":"tabs"}' -s chat -q
tool mem_search '{"query":"database"}' | ask
tool mem_get '{"key":"/user/style"}' | ask
tool mem_set '{"key":"/user/lang","text":"German","type":"preference"}' | ask; mem get /user/lang; mem history /user/lang | cut -f 3
tool mem_set '{"key":"/kb/go","text":"1.26"}' | ask; tool mem_note '{"text":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}' | ask
tool mem_forget '{"key":"m-1","reason":"moved"}' | ask; mem notes --jq .count; mem forget --list | cut -f 2-

# Its journal and core, and the bundle of a session.
tool save_to_core '{"content":"I check twice"}' | ask --tools journal --agent ada | ids
tool save_to_core '{"content":"I check twice"}' | ask --tools journal | ids
mem memories --agent ada | cut -f 2,5
mem event --session s1 --text 'The tests are red' -q > /dev/null
tool memory_build_acb '{"session_id":"s1","query_text":"what is red?"}' | ask --tools bundle | jq -c '.sections[]? | [.name, .items[].text]'
tool memory_query_decisions '{}' | ask --tools bundle
