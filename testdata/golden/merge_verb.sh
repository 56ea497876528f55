# Several memories become one.
# needs: jq
export MEM_ROOT=memory
mem set /a '{"type":"fact","text":"port 5432","tags":["db"],"importance":7,"references":["/r"]}' -s chat -q
export MEM_NOW=2026-02-23T10:00:00Z
mem set /b '{"text":"user ada","tags":["db","user"],"importance":0.2,"host":"h1"}' -s chat -q
mem note 'host is h1' -q
mem merge /a /b m-1 --into /project/db --dry-run | jq .; mem ls -1
mem merge /a /b m-1 --into /project/db; mem ls; mem get /project/db --jq .source
mem history /a | cut -f 1-3; mem query --history 'select(.valid|not) | [.key,.source.locator.into]'
mem set /c '{"text":"port 5432","host":"h2"}' -s chat -q; mem merge /c --into /project/db --json | jq -c '[.key,.merged]'; mem get /project/db --jq .content.host
mem set /text '"x"' -s chat -q; mem merge /text /project/db --into /m; echo "exit $?"
mem merge /project/db --into /project/db; mem merge /none --into /project/db; echo "exit $?"
mem merge /project/db; mem merge --into /x; mem merge /project/db --into /untrusted/x; echo "exit $?"
mem ls -1
