# needs: jq
# A9, fast path: without a query nothing is looked up, and the bundle needs no full text.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
seq 300 | jq -c '{session_id: "s1", kind: "message", actor: {type: "human", id: "user"}, content: {text: "message \(.)"}}' | mem event - -q > /dev/null
mem set --yes /rules/project/a '{"text":"be brief"}' -s x -q > /dev/null; mem compact -q
mem bundle --session s1 --agent ada > with; jq -c '.provenance | .query_terms, .candidate_pool_size' with
jq -c '.sections[] | [.name, (.items | length)]' with; jq -r '.sections[-1].items | .[0].text, .[-1].text' with
rm memory/cache/fts # files
rm -rf ~/.cache/mem
mem bundle --session s1 --agent ada > without; cmp with without && echo same
mem bundle --session s1 --agent ada --query ' ' | cmp - with && echo same
