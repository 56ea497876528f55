# Every version of a key, through tombstones, compaction and rotation.
export MEM_ROOT=memory
mem set /k '{"v":1}' -s 'first chat' -q
mem set /k '{"v":2}' --kind agent --name dream -q
mem set /k null --kind agent --name tidy --locator '{"reason":"done"}'
mem config set rotate.lines 2 -q; mem config set rotate.bytes 1000000 -q # files
mem compact
mem set /k '{"v":3}' -s chat -q
mem history /k
mem history /k --json
mem history /k --jq '.memories[1].valid'
mem history /never; echo "exit $?"
mem history /never --json; echo "exit $?"

# What a terminal would obey, or nobody would see, is an escape there. In a pipe, get keeps the bytes.
mem set /esc $'{"text":"a\u009b31mb\u200bc"}' -s chat -q
mem history /esc; mem query --prefix /esc .content
mem get /esc | cmp - <(printf '{"text":"a\u009b31mb\u200bc"}\n') && echo 'the same'
