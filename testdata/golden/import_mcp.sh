# needs: jq cmp
# The knowledge graph of the MCP reference server, and back.
export MEM_ROOT=memory
cat > memory.jsonl <<'EOF'
{"type":"entity","name":"Ada Lovelace","entityType":"person","observations":["writes Go","prefers tabs, not spaces"]}
{"type":"entity","name":"用户","entityType":"人","observations":["喜欢中文","偏好简洁"]}
{"type":"relation","from":"用户","to":"Ada Lovelace","relationType":"认识"}

{"type":"entity","name":"Ada Lovelace","entityType":"another","observations":["prefers tabs, not spaces","lives in London"]}
{"type":"relation","from":"用户","to":"Ada Lovelace","relationType":"认识"}
{"type":"relation","from_id":"Ada Lovelace","to_id":"用户","relation_type":"knows"}
{"type":"entity","id":"basic","entity_type":"note"}
EOF
mem import memory.jsonl --dry-run
mem import memory.jsonl
mem import memory.jsonl
mem query '[.key,.content]'
mem read
mem query --prefix /graph/entity/basic '.source|del(.retrieved_at)'

# Names may be anything; no two share a key, and each comes back exactly.
cat > hostile.jsonl <<'EOF'
{"type":"entity","name":"../../etc/passwd","entityType":"path","observations":[]}
{"type":"entity","name":"..","entityType":"","observations":["a\nline\u0000break"]}
{"type":"entity","name":"","entityType":"empty","observations":["\u001b[31mred"]}
{"type":"entity","name":"a/b","entityType":"slash","observations":[]}
{"type":"entity","name":"a_b","entityType":"no slash","observations":[]}
{"type":"entity","name":"caf\u00e9","entityType":"composed","observations":[]}
{"type":"entity","name":"cafe\u0301","entityType":"decomposed","observations":[]}
{"type":"entity","name":"\u202egnp.exe","entityType":"turned","observations":[]}
{"type":"relation","from":"a","to":"c","relationType":"b/x"}
{"type":"relation","from":"a/b","to":"c","relationType":"x"}
EOF
mem import hostile.jsonl --prefix /odd
mem ls -1 /odd
mem export --format mcp --prefix /odd | jq -S -c . | sort > back
jq -S -c . hostile.jsonl | sort | cmp - back && echo 'the same graph'

# Out, in and out again.
mem export --format mcp --out graph.jsonl
mem --root other import graph.jsonl
mem --root other export --format mcp | cmp - graph.jsonl && echo 'byte for byte'
mem --root other import graph.jsonl
mem set /user/name '"Ada"' -s chat -q
mem export --format mcp --out graph.jsonl

# A graph file that has something the store has not is not replaced.
echo '{"type":"entity","name":"new there","entityType":"x","observations":[]}' >> graph.jsonl
mem export --format mcp --out graph.jsonl; echo "exit $?"
mem import graph.jsonl
mem export --format mcp --out graph.jsonl
