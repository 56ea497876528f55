# The same over HTTP: a memory for each tenant, at /mcp, a request at a time.
# needs: curl jq
mem serve --root r --listen 127.0.0.1:0 2> log &
until curl -s --unix-socket r/memd.sock http://mem/healthz; do sleep 0.1; done
address=$(grep -oE 'tcp:[0-9.:]+' log | cut -c 5-)
token=$(mem token add --yes t1 --agent ada --root r -q)
tool() { echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"; }
ask() { curl -s -w '%{http_code}\n' -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d @- "$@"; }
tcp() { ask "http://$address/mcp" -H "Authorization: Bearer $token" "$@"; }
tool mem_note '{"text":"The port is 5432"}' | tcp
tool save_to_core '{"content":"I check twice"}' | tcp
tool mem_search '{"query":"port"}' | ask --unix-socket r/memd.sock 'http://mem/mcp?tenant_id=t1'
tool mem_search '{"query":"port"}' | ask --unix-socket r/memd.sock 'http://mem/mcp?tenant_id=t2'
tool mem_search '{"query":"port"}' | ask --unix-socket r/memd.sock 'http://mem/mcp'
tool memory_build_acb '{"session_id":"s1","tenant_id":"t2"}' | tcp
ls r/tenants

# Who may not come in, and what is no request.
tool mem_search '{}' | ask "http://$address/mcp"
tool mem_search '{}' | ask "http://$address/mcp" -H 'Authorization: Bearer wrong'
tool mem_search '{}' | tcp -H 'Origin: https://evil.example'
tool mem_search '{}' | tcp -H 'Host: evil.example'
curl -s -w '%{http_code}\n' "http://$address/mcp" -H "Authorization: Bearer $token"
echo junk | tcp | tail -n 1

# Without a handshake: the revision 2026-07-28.
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
new() { tcp -H 'MCP-Protocol-Version: 2026-07-28' "$@"; }
echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{$meta}}" | new -H 'Mcp-Method: server/discover' | jq -c '.result.supportedVersions[0]?, .result.cacheScope?' 2>/dev/null
echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"mem:///note/workspace/m-1\",$meta}}" | new -H 'Mcp-Method: resources/read' -H 'Mcp-Name: mem:///note/workspace/m-1' | jq -c '.result.contents?' 2>/dev/null
grep -o '"route":"/mcp","status":[0-9]*' log | sort | uniq -c | tr -s ' '
kill %1
wait %1; echo "exit $?"
