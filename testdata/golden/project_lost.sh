# No project gets lost: on each machine one command finds the memories of a repository, and only a person's word opens them.
# needs: git
hide() { sed -E "s,$HOME,DIR,g; s/-[0-9a-f]{8}(-[0-9a-f]{8})?\b/-HASH/g; s/\b[0-9a-f]{8}\b/HASH/g; s/(m-[0-9])-[a-z]{4,6}/\1-LETT/g; s/[^ ]+ \(HASH\)/NAME (ID)/"; }
in_() { (export HOME=$PWD/$1; cd $1/$2 && shift 2 && "$@"); }
command_() { in_ $1 $2 mem where --jq '.stores[].link | select(.)'; }
joined() { mkdir -p $1/.local/state/mem/sync; cp laptop/.local/state/mem/sync/key $1/.local/state/mem/sync/; HOME=$PWD/$1 mem sync join depot --yes -q; }
start() { echo '{"session_id":"s1","hook_event_name":"SessionStart","source":"startup"}' | mem hook claude-code; }
told() { in_ $1 $2 start | jq -r .systemMessage | hide; }
fix() { cmd=$(command_ $1 $2); in_ $1 $2 sh -c "$cmd --yes" | hide; in_ $1 $2 mem notes --jq '.memories[].text'; }
mkdir laptop desk

# Synced before it had an origin; then a clone on the second machine.
git init -q laptop/shop; in_ laptop shop mem note 'the port is 3306' -q; laptop() { HOME=$PWD/laptop mem "$@"; }; laptop sync init depot --yes -q > /dev/null 2>&1
git -C laptop/shop remote add origin https://git.example/me/shop.git; laptop sync -q; joined desk
git init -q desk/shop; git -C desk/shop remote add origin git@git.example:me/shop; in_ desk shop mem note 'made on the desk' -q
in_ desk shop mem where 2>&1 | hide; in_ desk shop mem doctor | grep -E '^warn +project +[a-z]' | sed 's/  */ /g' | hide; HOME=$PWD/desk mem sync 2>&1 | hide
told desk shop; told desk shop; MEM_NOW=2026-02-23T10:00:00Z told desk shop
(unset MEM_NOW; in_ desk shop env CLAUDECODE=1 sh -c "$(command_ desk shop) --yes"; echo "exit $?"; in_ desk shop env MEM_AGENT=ada mem project link --search --yes; echo "exit $?")
fix desk shop; HOME=$PWD/desk mem sync -q; laptop sync -q; in_ laptop shop mem notes --jq '.memories[].text'; in_ desk shop mem where 2>&1 | hide; command_ desk shop; command_ laptop shop

# What a link that was cut, or a process from before it, has left in the store of before: the same command takes it along.
left=$(grep -l '"link"' desk/.local/share/mem-projects/*/repository.json | xargs dirname); in_ desk shop mem --root $PWD/$left note 'written late' -q; command_ desk shop | hide; fix desk shop; command_ desk shop

# The origin is renamed, and a fresh clone of it is made: on the second machine, and on the first.
git -C laptop/shop remote set-url origin https://git.example/acme/store.git; in_ laptop shop start > /dev/null; laptop sync -q; HOME=$PWD/desk mem sync -q
git init -q desk/store; git -C desk/store remote add origin git@git.example:acme/store; command_ desk store | hide; fix desk store
git init -q laptop/again; git -C laptop/again remote add origin git@git.example:acme/store; told laptop again; fix laptop again
# A machine that joins later, and one with the backup alone.
joined late; git init -q late/store; git -C late/store remote add origin git@git.example:acme/store; fix late store
laptop backup stick --yes -q > /dev/null 2>&1; mkdir -p new/.local/state/mem/sync; cp laptop/.local/state/mem/sync/key new/.local/state/mem/sync/
HOME=$PWD/new mem restore stick --yes 2>&1 | hide; git init -q new/store; git -C new/store remote add origin git@git.example:acme/store; fix new store

# The repository is renamed or moved, and its former place is not spoken of once it is linked.
mv laptop/shop laptop/moved; command_ laptop moved | hide; fix laptop moved; in_ laptop moved mem where 2>&1 | hide; in_ laptop moved mem where --all | grep -c gone; told laptop moved

# Two projects of one template stay apart, as a fork and its upstream do; the one without memories hears of it.
git init -q desk/one; git -C desk/one remote add origin https://git.example/me/template; in_ desk one mem note 'of one' -q; git -C desk/one remote set-url origin https://git.example/me/one; in_ desk one mem note 'still of one' -q
git init -q desk/two; git -C desk/two remote add origin https://git.example/me/template; in_ desk two mem note 'of two' -q; git -C desk/two remote set-url origin https://git.example/me/two; in_ desk two mem note 'still of two' -q
command_ desk one; command_ desk two; in_ desk two mem where 2>&1 | hide
g() { git -c user.name=a -c user.email=a@example.com -C "$@"; }
git init -q desk/up; g desk/up commit -q --allow-empty -m first; git -C desk/up remote add origin https://git.example/up/lib; in_ desk up mem note 'of the upstream' -q
git clone -q desk/up desk/fork; git -C desk/fork remote set-url origin https://git.example/me/lib; in_ desk fork mem note 'of the fork' -q; command_ desk fork
# Who knows that they are one types --search, which asks git.
in_ desk fork mem project link --search < /dev/null; echo "exit $?"; in_ desk fork mem project link --search --yes | hide; in_ desk fork mem notes --jq '.memories[].text'
git clone -q --depth 1 file://$PWD/desk/up desk/shallow; in_ desk shallow mem project link --search --yes; in_ desk shallow mem project link x --search; in_ desk one mem project link --search --yes

# A folder that claims an origin, and what an import or a .mem brings, opens and names nothing.
mkdir -p desk/evil/.git desk/evil/.mem; git init -q desk/evil; printf '[remote "origin"]\n\turl = https://git.example/me/one\n' >> desk/evil/.git/config
id=$(printf 'git.example/acme/store' | sha256sum | cut -d ' ' -f 1); printf '{"common_dir":"%s","identity":"%s","identities":["%s"]}\n' "$PWD/desk/evil/.git" $id $id | tee desk/evil/.mem/repository.json > desk/evil/repository.json
in_ desk evil mem notes --jq .count 2>/dev/null; in_ desk evil mem search 'of one' 2>/dev/null; told desk evil
tar -C desk/evil -cf desk/evil/all.tar repository.json .mem; in_ desk evil mem import all.tar --yes -q; echo "exit $?"; in_ desk evil mem note mine -q; (cd desk/.local/share/mem-projects; grep -l $id */repository.json | hide)

# Digits that name nothing, or too little.
in_ desk one mem project link 00000000; echo "exit $?"; in_ desk one mem project link 0; echo "exit $?"; in_ desk one mem project link; echo "exit $?"; in_ desk one mem project link ../nowhere; echo "exit $?"
for m in laptop desk late new; do HOME=$PWD/$m mem fsck --all -q; echo "exit $?"; done
