# What changes a memory acts where it is found, the project first, and says which.
# needs: git
git init -q app && cd app
hide() { sed -E 's/-[0-9a-f]{8}\//-01234567\//'; }
mem set /user/lang '{"text":"de"}' -s chat -q; mem set /project/db '{"text":"db"}' -s chat -q
mem set /both '{"text":"mine"}' -s chat -q --layer user; mem set /both '{"text":"ours"}' -s chat -q
mem touch /user/lang /both --tag x 2>&1 | hide; mem ls -l
mem touch /both --tag y --layer user -q; mem ls -l /both --json --jq '.memories[] | [.layer, .key]'
EDITOR='sed -i s/ours/theirs/' mem edit /both 2>&1 | hide
mem undo /both 2>&1 | hide; mem rm /user/lang; mem undo /user/lang 2>&1 | hide; mem diff /user/lang | head -n 3
mem mv /user/lang /project/lang; mem where --jq '.stores[].layer'
mem mv /project/lang /user/lang; mem mv /both /project/both; mem ls -l
mem merge /user/lang --into /project/db; echo "exit $?"
mem merge /project/both --into /project/db 2>&1 | hide
mem supersede /user/lang /project/db; echo "exit $?"; mem supersede /project/db /user/lang 2>&1 | hide; mem read

# Where both have it, an undo takes back what was changed last: here the deletion of the project's.
MEM_NOW=2026-02-22T11:00:00Z; export MEM_NOW
mem set /proj/y '{"text":"mine"}' -s chat -q --layer user; mem set /proj/y '{"text":"ours"}' -s chat -q --layer project
mem rm /proj/y; mem get /proj/y 2>&1 | hide; mem undo /proj/y 2>&1 | hide; mem get /proj/y
mem rm /proj/y; mem --now 2026-02-22T12:00:00Z touch /proj/y --tag x -q; mem diff /proj/y | tail -n 3; mem undo /proj/y -q; mem get /proj/y
mem set /z 1 -s chat -q --layer project; mem undo /z; mem move /z --to user -q; mem undo /z; echo "exit $?"
