# What has been replaced is told no more, and says by what.
# needs: jq
export MEM_ROOT=memory
mem set /project/db-2024 '{"text":"the database is MySQL on port 3306"}' -s chat -q
mem set /project/db '{"text":"the database is PostgreSQL on port 5432"}' -s chat -q
mem note 'the port was 3306 once' -q
mem supersede /project/db-2024 /project/db; mem supersede m-1 /project/db; mem supersede m-1 /project/db; echo "exit $?"
for n in 1 2 3 4 5; do mem set /other/$n "{\"text\":\"unrelated fact number $n about tabs\"}" -s chat -q; done
mem read; mem read --query 'database port'; mem read --format notes
mem compact -q; mem read | grep -c project; mem search port; mem search port --json | jq -c '.memories[] | [.key,.superseded_by]'
mem get /project/db-2024; mem get /project/db-2024 -q | jq -r .superseded_by; mem ls /project
echo '{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"Which port does the database use?"}' | mem hook claude-code | jq -r .hookSpecificOutput.additionalContext

# Not in a circle, not by what is not there; and back again.
mem supersede /project/db /project/db-2024; mem supersede /project/db /project/db; mem supersede /project/db /none; echo "exit $?"
mem set /text '"x"' -s chat -q; mem supersede /text /project/db; echo "exit $?"
mem touch /project/db-2024 --current -q; mem undo m-1 -q; mem rm /text; mem read --query port

# A new name of the successor is followed. Without it, nothing would tell the old memory.
mem set /q/old '{"text":"the old way"}' -s chat -q; mem set /q/new '{"text":"the new way"}' -s chat -q
mem supersede /q/old /q/new -q; mem mv /q/new /r/now; mem get /q/old -q --jq .content.superseded_by; mem supersede /r/now /q/old; mem mv /q/old /r/now --force; echo "exit $?"
mem read --prefix /q; mem read --prefix /q --token-limit 1; mem read --prefix /none; mem read --prefix /r --token-limit 1
mem audit --dangling; mem rm /r/now; mem audit --dangling; echo "exit $?"
mem touch /q/old --current -q; mem read --prefix /q; mem audit --dangling
for n in 1 2 3 4; do mem set "/many/$n" "{\"text\":\"$n\",\"superseded_by\":\"/many/the \\\"x\\\"\"}" -s chat -q; done; mem set '/many/the "x"' 1 -s chat -q; mem compact -q; mem rm '/many/the "x"'
mem note 'the newer port' -q; mem supersede m-1 m-2 -q; mem notes --jq '.memories[] | [.id, .superseded_by] | tostring'
mem touch m-2 --tag a,b,c,d,e,f; echo "exit $?"
