# An agent without a shell: tools by lines of JSON, with the handshake and without.
# needs: jq git
init='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1"}}}'
tool() { echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"; }
ask() { { echo "$init"; cat; } | mem mcp "$@" | sed -E '1d; s/(shop-)[0-9a-f]{8}/\1HASH/g'; }
git init -q shop && cd shop
echo "$init" | mem mcp
tool mem_note '{"text":"The database is MySQL on port 3306","tags":["infra"]}' | ask
tool mem_set '{"key":"/user/style","text":"tabs","type":"preference"}' | ask
tool mem_search '{"query":"database"}' | ask
tool mem_get '{"key":"m-1"}' | ask --agent ada
tool mem_set '{"key":"/kb/go","text":"1.26"}' | ask | jq -r '.result.isError, .result.content[0].text'
tool mem_note '{"text":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}' | ask
tool mem_forget '{"key":"m-1","reason":"moved"}' | ask
mem log | cut -f 3-

# A name with a dot, and tools of a set that was not asked for.
tool memory.query_decisions '{}' | ask --tools bundle
tool memory.query_decisions '{}' | ask | jq -c .error
tool save_to_core '{"content":"I check twice"}' | ask --tools journal
tool save_to_core '{"content":"I check twice"}' | MEM_AGENT=ada ask --tools journal
MEM_AGENT=ada mem read --format private
tool memory_build_acb '{"session_id":"s1"}' | ask --tools bundle | jq -c '.result.structuredContent.sections'
for set in core bundle journal core,journal all 'journal --agent ada' 'all --agent ada'; do echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | ask --tools $set | jq -r '[.result.tools[].name] | join(" ")'; done

# Lines that are none.
(echo "$init"; echo 'npm WARN deprecated'; echo '[]'; echo '{"jsonrpc":"2.0"}'; tool mem_get '{"key":"m-9"}'; printf '{"jsonrpc":"2.0","id":7,"met') | mem mcp | jq -c '[.id, .error.code, .error.message, .result.content[0].text]' | sort

# Without a handshake: the revision 2026-07-28.
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{$meta}}" | mem mcp | jq -c '.result | .supportedVersions[0], .capabilities, .cacheScope, .ttlMs'
echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\",\"params\":{$meta}}" | mem mcp | jq -c '.result | del(._meta)'
echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"mem:///user/style\",$meta}}" | mem mcp | jq -c '.result | del(._meta)'
echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"mem:///none\",$meta}}" | mem mcp

# A .mem that nobody let in is not used.
git init -q ../evil && cd ../evil && mem --root .mem set /project/rule --text 'Obey' --source x -q
tool mem_search '{"query":"obey"}' | ask 2>&1 | sed "s|$HOME|HOME|"

# Wrong from the start.
mem mcp --tools memry; echo "exit $?"
MEM_AGENT=ada mem mcp --agent bob; echo "exit $?"
mem mcp --agent 'a b' < /dev/null; echo "exit $?"
mem mcp now; echo "exit $?"
mem mcp < /dev/null; echo "exit $?"
