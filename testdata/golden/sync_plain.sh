# A plain depot, to which others write: their lines are facts, and change nothing of one's own.
# needs: git
ada() { HOME=$PWD/ada "$@"; }; eve() { HOME=$PWD/eve "$@"; }; dir() { sed "s,$PWD,DIR,g"; }; mkdir ada eve
ada mem set /user/style '{"text":"no dashes","type":"preference"}' --kind user --name ada -q; ada mem set /user/nas '"10.0.0.9"' -s chat -q
ada mem sync init --plain shared --yes | dir; ls ada/.local/state/mem/sync | sed -E 's/[0-9a-f]{32}/ID/'; zcat shared/??/* | grep -c dashes
eve mem set /user/style '{"text":"many dashes"}' -s chat -q; eve mem set /user/door '{"text":"open","type":"preference","pinned":true}' --kind user --name eve -q
eve mem sync join shared --yes 2>&1 | dir; eve mem sync join --plain shared --yes | dir; ada mem sync | dir
ada mem get /user/style; ada mem get /user/door; ada mem read | grep -A1 -i 'fact\|rule'; ada mem history /user/door --json | jq -c '.memories[].source'
# A purge of others waits for a person; an own key is never theirs.
eve mem forget /user/door --purge --yes -q > /dev/null 2>&1; eve mem rm /user/nas -q; eve mem sync -q 2>/dev/null; ada mem sync 2>&1 | dir; ada mem sync | dir
ada mem get /user/nas; ada mem get /user/door; ada mem approve --jq '.proposals[] | [.change, .key] | join(" ")'
ada mem approve "$(ada mem approve --jq '.proposals[0].id')" --yes; ada mem get /user/door; grep -rl '"open"' ada; ada mem fsck
# Neither kind turns into the other.
eve mem sync init sealed --yes -q > /dev/null 2>&1; eve mem sync join --plain sealed --yes 2>&1 | dir
sed -i 's/"check":"[^"]*"/"plain":true/' sealed/mem-sync.json; eve mem sync sealed 2>&1 | dir; ada mem sync join sealed --yes 2>&1 | dir
# A project alone, over a destination of its own.
for m in ada eve; do git init -q $m/shop; git -C $m/shop remote add origin https://git.example/me/shop; done; in_() { (export HOME=$PWD/$1; cd $1/shop && shift && "$@"); }; all=$PWD/team
in_ ada mem note 'the shop is closed' -q; ada mem sync init --project team --yes; in_ ada mem sync init --project --plain $all --yes | dir; in_ eve mem sync join --project --plain $all --yes | dir
in_ eve mem notes --jq '.memories[].text'; zcat team/??/* | grep -c dashes; in_ eve mem where | grep ^sync | sed -E 's/[^ ]+ \([0-9a-f]{8}\)/NAME (ID)/g' | dir
