# Verbs that look into no file of the store: the same wherever it is kept.
export MEM_ROOT=memory USER=ada LOGNAME=ada
mem note 'the release is cut on Thursdays' --pin; mem note 'Ann owns the pager'; mem unpin m-1; mem ls --pinned; mem pin m-2; mem ls --pinned | cut -f 1,4
mem journal 'the tests are slow on Mondays' --agent ada; MEM_AGENT=ada mem memories --agent ada | cut -f 2-5
mem core 'say what was measured' --agent ada -q; MEM_AGENT=ada mem memories --agent ada --jq .count
mem task 'cut the release' --session s1 --json | jq -c keys; mem ls --type task | cut -f 2-
mem config set memory.max_total 900; mem config get memory.max_total; mem config set no.such 1; echo "exit $?"
mem prompt; echo "exit $?"
echo '{"hook_event_name":"SessionStart","session_id":"c1","cwd":"."}' | mem hook claude-code | jq -r .hookSpecificOutput.additionalContext | sed 's/task_[0-9A-Z]*/task_ID/'
mem injections | cut -f 2-4; mem cost --jq .count
mem migrate --dry-run -q; echo "exit $?"
mem rm /user/none; echo "exit $?"
mem set /a 1 -s chat -q; mem set /a 2 -s chat -q --if-absent | jq -c .content; echo "exit ${PIPESTATUS[0]}"
mem forget /a --purge --yes -q; mem history /a | cut -f 2-; mem set /a 3 -s chat -q; mem get /a
mem stat --jq '[.live,.expired,.untrusted]'
echo '{"a":1.10,"b":"\u0000","z":1e400}' | mem set /numbers - -s chat -q; mem get /numbers
