# needs: jq
# A5, task continuity: what is to be done goes on in the next session, until it is done.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
t=$(mem task 'Move the invoices to the new schema' --session s1 --details 'step 2 of 3: backfill')
u=$(MEM_NOW=2026-02-22T10:00:01Z mem task 'Write the release notes' --session s1)
mem task $t --status doing | ids
rm -r memory/cache memory/state.jsonl memory/checkpoint.json 2> /dev/null # files
rm -rf ~/.cache/mem
state() { mem bundle --session $1 --agent bob --jq '.sections[] | select(.name == "task_state").items[] | .text'; }
export MEM_NOW=2026-03-22T10:00:00Z; state s2
mem task $t --details 'step 3 of 3: drop the old columns' > /dev/null; state s2
mem task $t --status done > /dev/null; state s2; mem task $u --status done > /dev/null; state s2
mem get $t --jq '.content | [.title, .status, .details]'; mem ls /task | cut -f 2- | ids
mem task task_01KJ2KH5D04XNZEQFPHTQVBEWQ --status done; echo "exit $?"; mem task $t --status later 2>&1 | ids; mem task ''; echo "exit $?"
