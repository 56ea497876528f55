# needs: jq
# Events: what is stored of each, how they are read again, and wrong input.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
mem event --session s1 --text 'hello' | ids
mem event '{"session_id":"s1","channel":"team","actor":{"type":"human","id":"ada"},"kind":"message","sensitivity":"low","tags":["topic:onboarding","repo:legacy"],"content":{"text":"牙科复诊 tomorrow?"},"refs":["/kb/go"],"agent_id":"bot"}' | ids
e=$(mem search --prefix /event 牙科 --jq '.memories[0].key'); echo $e | ids
mem get $e --jq .content,.source | ids; mem get ${e##*/} | cut -c 1-40
mem search --prefix /event ada --jq .count; mem search --prefix /event --tag topic:onboarding --jq .count; mem search --prefix /event --type message --jq .count
# The result of a tool is normalized: tool, path, excerpt, lines.
r=$(mem event --session s1 --kind tool_result --actor tool:fs.read '{"content":{"path":"a.txt","text":"one\ntwo\n","line_range":[7,9],"exit":0}}' --jq .event_id)
mem get $r --jq .content.content,.source.locator.path
mem event --session s1 --kind tool_result --actor tool:sh '{"content":{"stdout":"x","code":1}}' --jq .event_id > id; mem get $(cat id) --jq .content.content
# A long text is an artifact, and every chunk of its beginning can be read.
seq 40000 | jq -Rsc '{content: {text: ., path: "numbers"}}' > long; wc -c < long
mem event --session s1 --kind tool_result --actor tool:seq @long > answer; jq -c '.chunk_ids | length, .[0][30:], .[-1][30:]' answer
mem get $(jq -r .event_id answer) --jq '.content.content | .truncated, .line_range, (.excerpt_text | length), (.artifact_id | length)'
mem artifact get $(jq -r .artifact_id answer) | cmp - <(seq 40000) && echo same
for c in $(jq -r '.chunk_ids[]' answer); do mem get $c; done | tr -d '\n' | cmp - <(seq 40000 | tr -d '\n') 2>&1 | sed 's/.*EOF/EOF/'
mem get chk_01KJ2KH3EG1GW60J423CNHT7PE000; mem get $(jq -r '.chunk_ids[-1]' answer | sed 's/...$/fff/') 2>&1 | ids
# Many at once, all or none.
printf '%s\n' '{"session_id":"s2","kind":"message","actor":{"type":"agent","id":"a"},"content":{"text":"1"}}' '{"kind":"massage"}' 'x' | mem event -; echo "exit $?"; mem ls /event/s2
for bad in '{"session_id":"a/b"}' '{"session_id":"s","kind":"x"}' '{"session_id":"s","kind":"message"}' '{"session_id":"s","kind":"message","actor":{"type":"cat","id":"x"}}' '{"session_id":"s","kind":"message","actor":{"type":"human","id":"x"},"content":null}' '{"session_id":"s","kind":"message","actor":{"type":"human","id":"x"},"content":{},"channel":"all"}' '{"session_id":"s","kind":"message","actor":{"type":"human","id":"x"},"content":{},"sensitivity":"medium"}' '{"session_id":"s","kind":"message","actor":{"type":"human","id":"x"},"content":{},"refs":["nothing"]}' '{"session_id":"s","kind":"decision","actor":{"type":"human","id":"x"},"content":{}}' '{"session_id":1}' '{"sessions":1}' '[]' 'hello'; do
  mem event "$bad"; echo "exit $?"
done
mem event; echo "exit $?"; mem event --text x; echo "exit $?"; mem event --session s1 --text x --actor ada; echo "exit $?"
# Who speaks: an agent where one is named; of a tool somebody has to say which.
mem event --session s3 --agent ada --text 'I am ada' -q > /dev/null; MEM_AGENT=bob mem event --session s3 --text 'I am bob' -q > /dev/null; mem event --session s3 --actor agent:User --text 'I am nobody' -q > /dev/null
echo 'from a file' > said; mem event --session s3 --text @said -q > /dev/null; mem event --session s3 --text - -q < said > /dev/null
mem bundle --session s3 --agent ada --format text
mem event --session s3 --kind tool_result --text x; echo "exit $?"; mem event --session s3 --text - < /dev/null; echo "exit $?"
# Nothing passes for an event, whoever is asked.
mem set /event/s3/note '{"type":"message"}' -s x; echo "exit $?"
