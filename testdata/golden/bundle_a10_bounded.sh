# needs: jq
# A10, the retrieval path is bounded: 2,000 candidates, 200 chunks, 28,000 tokens.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
seq 3000 | jq -c '{session_id: "s\(. % 7)", kind: "message", actor: {type: "human", id: "user"}, content: {text: "the deploy number \(.) went well"}}' | mem event - -q > /dev/null
mem bundle --session x --agent ada --query 'deploy' | jq -c '.provenance.candidate_pool_size, (.sections[] | [.name, (.items | length), .token_est <= 28000])'
# Long results: what fits is packed, in chunks of at most 400 tokens.
for i in $(seq 12); do seq $((i * 1000)) $((i * 1000 + 4000)) | sed 's/^/deploy log line /' | jq -Rsc --arg p log$i '{session_id: "y", kind: "tool_result", actor: {type: "tool", id: "sh"}, content: {tool: "sh", path: $p, text: .}}'; done | mem event - > answers
jq -c '[(.chunk_ids | length) > 20, .artifact_id != null]' answers | sort | uniq -c
mem bundle --session x --agent ada --query 'deploy log line 5000' | jq -c '.provenance.candidate_pool_size, (.sections[] | [.name, (.items | length) <= 200, .token_est <= 28000, .token_est > 27000]), (.omissions | map(.reason) | unique), (.token_used_est <= 56200)'
# A cut result names the artifact that has all of it.
a=$(jq -r .artifact_id answers | head -n 1); mem artifact get $a | tail -n 1; mem artifact get $a | wc -l
