# needs: jq
# A12, dedupe prevention: what is said again and again costs once.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
say() { mem event --session $1 --agent ada --actor human:user --text "$2" -q > /dev/null; }
tokens() { mem bundle --session s1 --agent ada --query 'retry the upload' --jq '[.token_used_est, (.sections[].items | length)]' | jq -c .; }
say s1 'retry the upload, please'; tokens
for i in $(seq 50); do say s1 'retry the upload, please'; done; tokens
for i in $(seq 20); do say s2 'Retry  the upload, PLEASE'; done; tokens
mem event --session s1 --actor agent:bob --kind message --text 'retry the upload, please' -q > /dev/null; tokens
mem set --yes /rules/user/upload '{"text":"Retry the upload, please"}' -s x -q > /dev/null; tokens
say s1 'retry the download'; tokens
