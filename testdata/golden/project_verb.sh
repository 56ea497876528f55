# Two clones of one repository on a machine share a store when a person links them; nothing that a repository says of itself does.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8}\b/-01234567/g; s/identity [0-9a-f]{8}/identity 01234567/; s/"identity":"[0-9a-f]{64}"/"identity":"0123..."/g; s/link [0-9a-f]{8}/link 01234567/g'; }
stores() { cd ~/.local/share/mem-projects; for s in *; do jq -r '[(.common_dir // "-"), has("identity"), has("claim"), has("link")] | @tsv' "$s/repository.json"; done | sort; cd - >/dev/null; }
git init -q one; git -C one remote add origin https://me:s3cret@example.com/acme/shop.git
git init -q two; git -C two remote add origin git@example.com:acme/shop
(cd one; mem note 'The database is MySQL' -q; mem set /project/port 3306 -s me -q; mem where 2>&1 | hide)
cd two; mem where 2>&1 | hide; mem note 'The queue is Redis'; mem set /project/queue '"Redis"' -s me -q; mem notes --jq .count; mem where --json | hide; stores

# A client or an agent may not, and somebody has to answer.
mem project link < /dev/null; echo "exit $?"; CLAUDECODE=1 mem project link --yes; echo "exit $?"; MEM_AGENT=ada mem project link --yes; echo "exit $?"
mem notes --jq .count

# A person links it: its memories come along, and then both read and write one store.
mem project link --yes | hide; mem notes --jq '.memories[].text'; mem where 2>&1 | hide; stores
mem note 'From the second clone' -q; (cd ../one; mem ls -1); mem project link; echo "exit $?"

# The path of its own store ends it; a directory of the other repository begins it again, as the identity does.
own=$(mem where --all --jq '.stores[] | select(.repository // "" | endswith("two/.git")) | .root'); id=$(jq -r .identity ~/.local/share/mem-projects/one-*/repository.json)
mem project link "$own" --yes | hide; mem notes --jq .count; mem project link ../one --yes --json | hide; mem project link "${id:0:8}" --yes -q; mem notes --jq .count

# Worktrees have the identity of their repository; a copy of it, and an archive that claims it, have their own store.
cd ~; git init -q app; cd app; git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x; git worktree add -q ../tree; mem note 'of app' -q; ls .git/mem-id
(cd ../tree; mem where 2>&1 | hide); cp -r ../app ../copy; cd ../copy; mem notes; mem where 2>&1 | hide
cd ~; mkdir evil; cd evil; git init -q; printf '[remote "origin"]\n\turl = https://example.com/acme/shop\n' >> .git/config; cp ~/app/.git/mem-id .git; mem notes; mem search MySQL; mem note mine -q; mem where 2>&1 | hide

# Wrong input.
mem project; echo "exit $?"; mem project lnik; echo "exit $?"; mem project link nosuch; echo "exit $?"; mem project link 0123; echo "exit $?"
mem --root ~/r project link; echo "exit $?"; cd ~; mem project link; echo "exit $?"; cd app; mem init -q; mem project link; echo "exit $?"
cd ~; mem fsck --all | hide | sort
