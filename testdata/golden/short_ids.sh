# An id needs its letters only where two notes have or had its number.
# needs: git jq
git init -q -b main app && cd app && git config user.name ada && git config user.email ada@example.com
ids() { sed -E 's/([mu])-([0-9]+)-[a-z]{6}/\1-\2-xxxxxx/g'; }
tool() { { echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"; } | mem mcp | jq -r 'select(.id == 1) | .result.content[0].text' | ids; }
listed() { mem notes --jq '.memories[] | "\(.id) \(.text)"' | ids | sort; }
mem init --shared -q; mem note 'tabs, not spaces' -q; mem note 'spaces, not tabs' -q; mem note 'deploys on Tuesday' -q; listed

# Every verb takes the short form.
mem get m-1; mem history m-1 | cut -f 2,4 | ids; mem pin m-1 -q; mem touch m-1 --importance 8 -q; mem get m-1; mem unpin m-1 -q
VISUAL="sed -i s,tabs,blanks," mem edit m-2 -q; mem diff m-2 | head -n 1 | ids; mem undo m-2 -q; mem get m-2
mem note 'deploys on Wednesday' --replaces m-3 -q; mem supersede m-2 m-1 -q; mem get m-2 2>&1 | tail -n 1 | ids
mem set /decision/d '{"text":"see the notes","references":["m-4"]}' -s chat -q; mem search --references decision/d | cut -f 1 | ids
tool mem_get '{"key":"m-4"}'
mem get m4; echo "exit $?"; mem get m-9; echo "exit $?"; mem get m-1-zzzzzz; echo "exit $?"

# One that is deleted is not another note's, and comes back.
mem forget m-4; mem forget m-4; echo "exit $?"; mem undo m-4 -q; mem get m-4; mem forget m-4 --reason 'back to Tuesday' -q; listed

# Two people give one number: the short form means neither note, and no verb changes one.
git add .mem && git commit -qm notes; git clone -q . ../clone; mem note 'noted in app' -q; git commit -qam app
cd ../clone && git config user.name eve && git config user.email eve@example.com && mem trust --yes -q 2>/dev/null
mem note 'noted in the clone' -q; git commit -qam clone; git pull -q --no-rebase --no-edit ../app main; mem trust --yes -q 2>/dev/null; listed
mem get m-5 2>&1 | ids; echo "exit ${PIPESTATUS[0]}"; tool mem_forget '{"key":"m-5"}'
for verb in history forget pin unpin edit undo 'touch --current' 'note again --replaces' 'forget --purge --yes'; do echo "$verb: $(mem $verb m-5 2>&1 >/dev/null | grep -c 'it may be one of'), $(mem $verb m-5 >/dev/null 2>&1; echo "exit $?")"; done
listed; id=$(mem notes --jq '.memories[] | select(.text == "noted in app") | .id'); mem get $id
mem forget $id; mem get m-5; echo "exit $?"; id=$(mem notes --jq '.memories[] | select(.text == "noted in the clone") | .id'); mem get $id; mem forget $id; mem forget $id; echo "exit $?"; listed
