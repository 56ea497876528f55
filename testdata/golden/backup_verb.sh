# All memory of a machine goes to a depot, encrypted, and comes back on another one.
# needs: script git
laptop() { HOME=$PWD/laptop "$@"; }; new() { HOME=$PWD/new "$@"; }
hide() { sed -E "s,$PWD,DIR,g; s/shop-[0-9a-f]{8}/shop-HASH/; s/mem-sync-[a-z2-7-]+/KEY/; s/[^ \"]+ \([0-9a-f]{8}\)/NAME (ID)/; s,(restore DIR/depot )[0-9a-f]{8},\1ID,; s/segment [0-9a-f]{8}/segment NAME/"; }
typed() { echo "$1" | HOME=$PWD/new script -qec "mem restore depot" /dev/null | tr -d '\r' | hide | sed 's/^the key, as it was printed first: //; /^KEY$/d'; }
mkdir laptop new; git init -q laptop/shop; git -C laptop/shop remote add origin https://git.example/me/shop.git
laptop mem set /user/editor '"helix"' -s chat -q; laptop mem set /user/editor '"vim"' -s chat -q; laptop mem note 'the NAS is 10.0.0.9' --scope user -q
laptop mem set /user/gone '"gone"' -s chat -q; laptop mem rm /user/gone -q; laptop mem set /user/waits '"no source"' -q 2> /dev/null; laptop mem journal 'kept for itself' --agent ada --layer user -q
echo 'the bytes' > bytes; laptop mem artifact add bytes --session s1 --layer user -q > /dev/null; laptop mem config set capture.user false --layer user --yes -q
(HOME=$PWD/laptop; cd laptop/shop; mem note 'the port is 3306' -q)
# No depot: a person makes one. An agent makes none, and cron only one that a person says.
laptop mem backup depot 2>&1 | hide; MEM_NOW= CLAUDECODE=1 laptop mem backup depot --yes; echo "exit $?"; ls depot; laptop mem restore depot --yes 2>&1 | hide; laptop mem backup laptop/.local/share/mem/x --yes 2>&1 | hide
laptop mem backup depot --yes > key; hide < key; laptop mem backup depot | hide; grep -rlE 'vim|3306|the bytes' depot; laptop mem sync
# Another machine asks for the key; a wrong one writes nothing.
new mem restore depot; new mem restore depot --yes 2>&1 | hide; MEM_NOW= CLAUDECODE=1 new mem restore depot --yes; typed mem-sync-aaaa; HOME=$PWD/other mem sync init elsewhere --yes -q > key2 2> /dev/null; typed "$(head -1 key2)"; ls -A new
typed "$(head -1 key)"
for m in laptop new; do HOME=$PWD/$m mem export --all --layer user -q | sort > $m.export; HOME=$PWD/$m mem ls --layer user > $m.ls; HOME=$PWD/$m mem history /user/editor > $m.history; done
wc -l < new.export; for what in export ls history; do cmp laptop.$what new.$what; done
new mem get /user/editor; new mem config get capture.user --layer user; cmp <(sort laptop/.local/share/mem/log.jsonl) <(sort new/.local/share/mem/log.jsonl); echo "exit $?"
cmp laptop/.local/share/mem/artifacts/* new/.local/share/mem/artifacts/*; new mem fsck --layer user
new mem restore depot --yes | hide; new mem restore depot --yes --jq '.stores[0] | [.lines, .received]'
# The project waits for its clone, and a person.
mkdir -p new/work; git init -q new/work/shop; git -C new/work/shop remote add origin git@git.example:me/shop
(HOME=$PWD/new; cd new/work/shop; mem project link --yes -q; mem notes --jq '.memories[].text')
# A purge goes into the backup, and an old backup does not bring the text back.
cp -r depot old; laptop mem forget /user/editor --purge --yes -q > /dev/null 2>&1; laptop mem backup depot | hide; new mem restore depot --yes 2>&1 | hide
new mem restore old --yes | hide; laptop mem restore old --yes | hide; grep -rl --exclude=key vim laptop new
# Two machines, beside an exchange, at one depot.
new mem backup depot; echo "exit $?"; new mem backup depot --yes | hide; new mem restore depot --yes 2>&1 | hide | sort; new mem restore depot nobody --yes 2>&1 | tail -2 | hide
new mem sync join depot --yes | hide; laptop mem sync join depot --yes | hide; ls laptop/.local/share/mem-projects | wc -l; laptop mem backup depot | hide
# What cannot be read is named, and other keys and machines are refused.
mkdir -p depot/00; printf x > "depot/00/$(printf %064d 7)"; new mem restore depot "$(new mem restore depot --yes --json 2> /dev/null | sed -E 's/.*"id":"([0-9a-f]+)".*/\1/')" --yes 2>&1 | hide; rm depot/00/*7
laptop mem backup elsewhere --yes 2>&1 | hide; laptop mem restore elsewhere --yes 2>&1 | hide
HOME=$PWD/other mem restore elsewhere --yes | hide; HOME=$PWD/other mem backup elsewhere -q; echo "exit $?"; MEM_ROOT=m mem backup depot; mem backup; mem restore a b c
HOME=$PWD/fresh mem backup fresh-depot --yes --jq 'keys'
laptop mem sync init plain --yes -q; sed -i 's/"check":"[^"]*"/"plain":true/' plain/mem-sync.json; laptop mem sync plain --yes; laptop mem backup plain --yes; echo "exit $?"; laptop mem restore plain --yes; echo "exit $?"
# A store that was left out of use before anything was written there is not made anew.
mkdir one two; for m in one two; do git init -q $m/shop; git -C $m/shop remote add origin https://git.example/me/both; done; in_() { (export HOME=$PWD/$1; cd $1/shop && shift && "$@"); }
in_ one mem note 'the port is 22' -q; HOME=$PWD/one mem sync init meet --yes -q > key3; mkdir -p two/.local/state/mem/sync; cp one/.local/state/mem/sync/key two/.local/state/mem/sync/
HOME=$PWD/two mem sync join meet --yes -q; in_ two mem project link --yes -q; HOME=$PWD/two mem backup copy --yes -q; ls two/.local/share/mem-projects | wc -l
HOME=$PWD/one mem restore copy --yes; HOME=$PWD/one mem sync -q; ls one/.local/share/mem-projects | wc -l
