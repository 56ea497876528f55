# needs: jq
# At most so many notes: the oldest make room, in the same append. And ids never return.
export MEM_ROOT=memory
mem config set memory.max_total 3
for n in one two three four; do mem note "fact $n"; done
mem notes --jq '.memories[].id'
mem stat | grep notes; mem stat --jq .notes_full; mem doctor | grep notes
jq -c '[.key,.valid,.ts]' memory/log.jsonl # files
mem query --history 'select(.valid|not) | [.source.kind,.source.name,.source.locator]'

# The newest is forgotten, its tombstone leaves the state, and all that is derived is deleted.
mem forget m-4
mem compact
jq -c .numbers memory/checkpoint.json # files
rm -r memory/cache memory/index memory/watermark # files
mem note 'fact five'
mem notes --jq '.memories[].id'

# Settings that are wrong are named.
echo '{"memory":{"max_total":0}}' > memory/config.json; mem note x; echo "exit $?" # files
echo '{"memory":{"max_notes":9}}' > memory/config.json; mem note x; echo "exit $?" # files
echo '{"memory":{"inject_mode":"all"}}' > memory/config.json; mem read --format notes; echo "exit $?" # files
