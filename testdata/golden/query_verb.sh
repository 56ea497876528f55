# jq programs over envelopes.
export MEM_ROOT=memory
mem query .key; echo "exit $?"
mem set /task/1 '{"type":"task","text":"one","n":10000000000000000000001}' -s chat -q
mem set /task/2 '{"type":"task","text":"zwei <&> 二"}' -s chat -q
mem set /user/name '{"type":"fact","text":"Ada"}' -s chat -q
mem set /user/name null -s chat
mem query .key
mem query -r --prefix /task '.content.text'
mem query 'select(.content.type=="task") | {key,n:.content.n}'
mem query --history '[.key,.valid]'
mem query --history --prefix /user .valid
mem query 'select(false)'; echo "exit $?"

# Wrong programs.
mem query '.key['; echo "exit $?"
mem query '.content | error("no")'; echo "exit $?"
mem query 'undefined_function'; echo "exit $?"
mem query; echo "exit $?"
mem query . extra; echo "exit $?"
mem ls --jq '.memories[] |'; echo "exit $?"
mem ls --jq '.memories | .[0].key + 1'; echo "exit $?"
