# Hints of mem sync bring no more of the memory to a place than goes there already.
# needs: git
dir() { sed "s,$PWD,DIR,g"; }; git init -q shop; in_() { (export HOME=$PWD/ada; cd shop && "$@"); }; mkdir ada eve; team=$PWD/team; eve() { HOME=$PWD/eve "$@"; }
in_ mem set /user/private '"of me"' -s chat -q; in_ mem note 'the shop is closed' -q
in_ mem sync join --project $team --yes 2>&1 | dir; in_ mem sync init --project $team --yes 2>&1 | grep -v mem-sync- | dir
# Its owner makes the depot anew: the place is looked at before anything goes there.
rm -r team; eve mem sync init $team --yes -q > /dev/null; in_ mem sync 2>&1 | dir
in_ mem sync init --project $team --yes 2>&1 | dir; in_ mem sync join --project $team --yes 2>&1 | dir
sed -i 's/"check":"[^"]*"/"plain":true/' team/mem-sync.json; in_ mem sync join --project $team --yes 2>&1 | dir
# A destination keeps the extent that it has; the lists say which one it is.
in_ mem sync remove $team --yes -q; rm -r team; in_ mem sync init --project $team --yes -q > /dev/null; in_ mem sync init all --yes -q
in_ mem sync join $team --yes 2>&1 | dir; in_ mem sync init --project all --yes 2>&1 | dir; in_ mem sync init --project $team --yes 2>&1 | dir
git init -q bar; (export HOME=$PWD/ada; cd bar && mem note 'the bar is open' -q; mem sync join --project $team --yes 2>&1) | dir
in_ mem sync list | dir; in_ mem where | grep ^sync | dir; in_ mem doctor | grep team | dir; in_ mem sync | dir
# A project whose identity another store has is refused before anything is made.
for r in r1 r2; do git init -q $r; git -C $r remote add origin https://git.example/me/same; done; at() { (export HOME=$PWD/bob; cd $1 && shift && "$@"); }; mkdir bob
at r1 mem note one -q; at r2 mem note two -q; at r2 mem sync init --project --json $PWD/taken --yes; ls taken; ls bob/.local/state/mem/sync
# The key is printed until a destination is sealed with it: perhaps nobody has seen it.
at . mem sync init k1 --yes -q 2>/dev/null > first; at . mem sync remove k1 --yes -q; at . mem sync init k3 --yes -q 2>&1 > again | cat; cmp first again && wc -l < again
at . mem sync remove k3 --yes -q; at . mem sync init k4 --yes --json --jq .key | cmp - first; at . mem sync init k5 --yes -q; at . mem sync remove k4 --yes -q; at . mem sync remove k5 --yes -q; at . mem backup k6 --yes -q | cmp - first
