# needs: jq
# --json: every verb answers with one JSON document on stdout, and errors are JSON on stderr.
export MEM_ROOT=memory
shape() { jq -c 'if type=="object" then keys_unsorted else type end'; }
mem set /k '{"type":"fact","text":"x"}' -s chat --json | shape
mem set /kb/q 1 -s chat --on-untrusted quarantine -q --json | shape
echo '{"key":"/b","content":1,"source":"chat"}' | mem set - --json | shape
mem get /k --json | shape
mem read --json | shape
mem read --json | jq -c '.memories[0] | keys_unsorted'
mem ls --json | shape
mem ls --json | jq -c '.memories[0] | keys_unsorted'
mem history /k --json | shape
mem history /k --json | jq -c '.memories[0] | keys_unsorted'
mem stat --json | shape
mem compact --json | shape
mem fsck --json | shape
mem init --json | shape
mem version --json | shape
mem approve --yes /kb/q --kind user --name me --locator chat --json | shape
mem rm /b --json | shape
mem note x --json | shape
mem notes --json | shape
mem notes --json | jq -c '.memories[0] | keys_unsorted'
mem read --format notes --query y --json | jq -c '.memories[0] | keys_unsorted'
mem note 'y why' -q && mem read --format notes --query why --json | jq -c '.memories[0] | keys_unsorted'
mem forget m-1 --json | shape
mem prompt --json | shape

# Errors: nothing on stdout.
for args in 'get /nobody' 'get nobody' 'gett' 'set /k' 'set /kb/x 1 -s chat' 'ls --nosuch' 'query .['; do mem $args --json 2>&1 >/dev/null | jq -c '.error | [.code, .message, .hint]'; mem $args --json 2>/dev/null | wc -c; done
mem set /k 1 -s chat --if-absent --json 2>/dev/null | shape

# --jq takes the same document.
mem ls --jq '.memories[] | [.key,.type] | @tsv'
mem stat --jq '.live, .log_lines'
