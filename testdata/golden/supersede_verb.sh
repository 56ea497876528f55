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
