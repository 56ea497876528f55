# Whose a memory is: an agent of a team changes its facts, and only proposes to change the pin of
# another member.
mem serve --root r --listen 127.0.0.1:0 2> log &
until mem token list --root r > ready 2>&1 && grep -q tcp: log; do sleep 0.1; done
at=http://$(grep -oE 'tcp:[0-9.:]+' log | cut -c 5-)
add() { mem token add --yes t1 "${@:2}" --root r -q > $1.token; echo "$at $(cat $1.token)" > $1.login; }
add ada --agent bot --member ada
add bob --agent bot --member bob
add eve --person --member eve
as() { MEM_ROOT=$at/t1 MEM_TOKEN_FILE=$1.login mem "${@:2}" 2>&1 | sed -E "s|$at|URL|g; s/p-[0-9a-z]{8}/p-ID/g"; }

as ada set /project/db '{"text":"The port is 5432","pinned":true}' -s chat -q
as bob forget /project/db
as bob set /project/db --text 'The port is 5433' -s chat -q
as bob touch /project/db --importance 0.1 -q
as bob pin --off /project/db -q
as bob undo /project/db -q
as bob set /project/db2 --text 'The port is 5433' -s chat -q
as bob pin /project/db2
as bob supersede /project/db /project/db2 -q
as bob merge /project/db /project/db2 --into /project/db3 -q
as bob mv /project/db /project/db4 -q
as bob forget /project/db --propose
as bob forget /project/db --purge --yes -q

# The pinner's own agents may, and so may each agent with plain facts.
as ada touch /project/db --importance 0.9 -q
as bob forget /project/db2 -q

# A person answers; what was a fact is no rule by that.
as eve reject --all --yes -q
as bob set /project/db --text 'The port is 5434' -s chat --propose -q
as eve approve --json --jq '.proposals[] | [.change, .key, .client]'
id=$(MEM_ROOT=$at/t1 MEM_TOKEN_FILE=eve.login mem approve --json --jq '.proposals[] | select(.change == "set") | .id')
as eve approve $id --yes -q
as eve get /project/db
as bob forget /project/db
as bob set /project/db --text 'The port is 5435' -s chat -q
mem --root r/tenants/t1 history /project/db | cut -f 2,3
kill %1
wait %1
