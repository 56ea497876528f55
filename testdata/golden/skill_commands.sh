# What a skill of mem lists works as it stands there.
mem setup claude-code -q > /dev/null
mem set project/db --text 'PostgreSQL 16 on port 5432' -s chat -q
mem note 'Deploys fail with the VPN up' --tag deploy -q
id=$(mem notes --json --jq '.memories[0].id'); mem pin $id -q
grep '^    mem ' .claude/skills/mem/SKILL.md | sed 's/ *#.*//' | while read -r line; do
	eval "${line/m-4/$id}" > out 2>&1; echo "$? $line"
done
