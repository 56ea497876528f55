# Two machines of one person, and a folder that a program copies between them.
# needs: script
laptop() { HOME=$PWD/laptop "$@"; }; desk() { HOME=$PWD/desk "$@"; }
keys() { sed -E 's/mem-sync-[a-z2-7-]+/KEY/; s/ at [0-9]+$//; s/[^ (]+ \([0-9a-f]{8}\)/NAME (ID)/; s/[0-9a-f]{64}/SEGMENT/g'; }
typed() { echo "$1" | HOME=$PWD/desk script -qec "mem sync join depot" /dev/null | tr -d '\r' | keys | sed 's/^the key, as it was printed first: //; /^KEY$/d'; }
mkdir laptop desk
laptop mem sync status; laptop mem sync init nas.example:home --yes; laptop mem sync init stick/mem --yes; laptop mem sync init laptop/.local/share/mem/depot --yes
laptop mem set /user/editor '"helix"' -s chat -q; laptop mem set /user/nas '{"text":"10.0.0.9"}' -s chat -q
laptop mem sync; echo "exit $?"; desk mem sync join depot --yes; echo "exit $?"
laptop mem sync init depot; echo "exit $?"; laptop mem sync init depot --yes -q > key; keys < key
laptop mem sync init depot --yes; echo "exit $?"
ls -l laptop/.local/state/mem/sync/key | cut -c 1-10; grep -rl helix depot; echo "exit $?"
desk mem set /user/nas '{"text":"10.0.0.7"}' -s chat -q
desk mem sync join depot --yes < key; echo "exit $?"; typed mem-sync-aaaa
typed "$(cat key)"; desk mem sync join depot --yes -q; desk mem ls --jq '.[].key' 2> /dev/null || desk mem ls
laptop mem sync | sed "s,$PWD,DIR,"; laptop mem history /user/nas | sed 's/^[^ ]*\t//'
laptop mem sync list | sed "s,$PWD,DIR," | keys
# A correction, a deletion and a purge go along.
laptop mem set /user/editor '"vim"' -s chat -q; laptop mem rm /user/nas -q; laptop mem sync -q
desk mem sync --jq '.exchanges[] | [.sent, .received]'; desk mem get /user/editor
desk mem forget /user/editor --purge --yes -q > /dev/null 2>&1; desk mem sync -q; laptop mem sync -q
grep -rlE --exclude=key 'helix|vim' laptop desk; laptop mem fsck; desk mem fsck
# After a purge, what may hold old bytes at the depot is named.
desk mem set /user/pin '"4711"' -s chat -q; desk mem sync -q; laptop mem sync -q; mkdir depot/.stversions; cp "$(ls depot/??/* | head -1)" 'depot/a (conflicted copy)'; laptop mem forget /user/pin --purge --yes -q > /dev/null 2>&1; laptop mem sync 2>&1 | sed "s,$PWD,DIR,g"; desk mem sync --jq '.exchanges[].stores[].remains_there | length'; rm -r depot/.stversions depot/*copy*
# What is no segment is left out; a lost file of a machine costs a second look.
first=$(cd depot && ls -d ?? | grep -vx 00 | head -1); printf x > "depot/$first/$(printf %064d 7)"; none=00; while [ -d depot/$none ]; do none=$(printf %02x $((0x$none + 1))); done; mkdir depot/$none; printf x > "depot/$none/$none$(printf %062d 7)"
laptop mem sync 2>&1 | sed "s,$PWD,DIR,g;s,depot/$none/$none,depot/00/00,;s,segment $none,segment 00,"; rm -r depot/$none laptop/.local/state/mem/sync/[0-9a-f]*; laptop mem sync | sed "s,$PWD,DIR,"
# A store that was lost comes back; a pipe, a link and a folder among the segments are left out.
rm -r laptop/.local/share/mem; laptop mem sync | sed "s,$PWD,DIR,"; laptop mem ls; desk mem ls; while [ -d depot/$none ]; do none=$(printf %02x $((0x$none + 1))); done; at=$none$(printf %062d 8); mkdir depot/$none; mkfifo depot/$none/$at; ln -s nowhere depot/$none/$none$(printf %062d 9); desk mem sync 2>&1 | sed "s,$PWD,DIR,g;s,depot/$none/$none,depot/00/00,g;s,segment $none,segment 00,g"; rm -r depot/$none
mkdir part; cp -r depot/?? part/; laptop mem sync init part --yes; laptop mem sync join part --yes; laptop mem doctor | grep sync | keys; laptop mem where | grep ^sync | keys
chmod 644 laptop/.local/state/mem/sync/key; laptop mem sync; chmod 600 laptop/.local/state/mem/sync/key; HOME=$PWD/fresh mem --json sync init fresh-depot --yes --jq 'keys'
# Another key, another depot, other stores.
mkdir other; HOME=$PWD/other mem sync init elsewhere --yes -q > key2
HOME=$PWD/other mem sync join depot --yes 2>&1 | sed "s,$PWD,DIR,g"; mv depot gone; laptop mem sync 2>&1 | sed "s,$PWD,DIR,g"; mv elsewhere depot
laptop mem sync 2>&1 | sed "s,$PWD,DIR,g"; laptop mem sync remove depot --yes | sed "s,$PWD,DIR,g"; laptop mem sync remove depot --yes 2>&1 | sed "s,$PWD,DIR,g"
laptop mem sync join 'ssh://-oProxyCommand=x/y' --yes; echo "exit $?"; laptop mem sync join ssh://a:b@host/x --yes; laptop mem sync join https://host/x --yes
HOME=$PWD/never mem sync remove depot --yes 2>&1 | sed "s,$PWD,DIR,g"; ls -A never/.local/state/mem/sync
MEM_ROOT=memory mem sync; echo "exit $?"; MEM_NOW= CLAUDECODE=1 mem sync init x --yes; echo "exit $?"
# Notes of two machines that had not met have one id; new ones have letters.
mkdir one two; HOME=$PWD/one mem note 'tabs here' --scope user; HOME=$PWD/two mem note 'the nas is 10.0.0.9' --scope user
HOME=$PWD/one mem sync init between --yes -q > key3 2>&1; HOME=$PWD/one mem note 'a new one' --scope user | sed -E 's/-[a-z]{6}"/-LETT"/'
mkdir -p two/.local/state/mem/sync; cp one/.local/state/mem/sync/key two/.local/state/mem/sync/; HOME=$PWD/two mem sync join between --yes -q; HOME=$PWD/one mem sync -q; HOME=$PWD/two mem sync -q
for m in one two; do HOME=$PWD/$m mem notes --jq '.memories[] | [.id, .text] | join(" ")' | sed -E 's/-[a-z]{6} /-LETT /' | sort; done
HOME=$PWD/two mem get u-1; echo "exit $?"; HOME=$PWD/two mem get u-2 | sed -E 's/u-2-[a-z]{6}/u-2-LETT/'
# Lines from the future are taken, or dropped.
mem sync late --take --drop; echo "exit $?"
