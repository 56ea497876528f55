# A repository that is renamed, moved or cloned again finds its memories.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8,}/-01234567/g; s/((identity|link)"?:? ?"?)[0-9a-f]{8,}/\101234567/g'; }
start() { echo '{"session_id":"s1","hook_event_name":"SessionStart","source":"startup"}' | mem hook claude-code | hide; }
moved() { mem doctor "$@" | grep '^warn  *project  *another' | sed 's/  */ /g' | hide; }
fix() { mem doctor --jq '.findings[] | select(.what == "project") | .fix'; }
export XDG_DATA_HOME="$HOME/the data"; mkdir -p 'my work'; cd 'my work'; git init -q orders; cd orders
mem note 'The database listens on port 5432' -q; mem set /project/db '"MySQL"' -s chat -q
moved; start | grep -c 'project link'

# Renamed in place: the person hears of it, and the model gets nothing.
cd ..; mv orders orders-api; cd orders-api
mem where 2>&1 | hide; moved; moved --all; start
mem where --json | hide | jq '.stores[2]'
for verb in 'search database' ls notes; do mem $verb 2>&1 | hide; done; fix | hide

# A start says it once a day, and the first memory here ends nothing.
mem set /own 1 -s chat -q; start; moved; mem where 2>&1 | hide | grep -c '^mem: hint.*project link'; mem search database 2>&1 | hide
mem rm /own -q

# The command works as it is printed, once a person has answered, and then all is said.
fix > ~/fix; sh ~/fix < /dev/null; sed 's/$/ --yes/' ~/fix | sh | hide; moved; start | grep -c 'project link'; mem search database | cut -f 2-

# Moved to another directory.
cd ../..; mkdir b; mv 'my work/orders-api' b; cd b/orders-api; moved; mem where --jq '.stores[] | select(.link) | .memories'

# A clone of an origin, where another clone is gone; a password is in no record.
cd ~; git init -q one; git -C one remote add origin https://me:s3cret@example.com:8443/acme/shop.git
git init -q two; git -C two remote add origin git@example.com:acme/shop.git
(cd one; mem note 'from one' -q); cd two; moved; cat "$XDG_DATA_HOME"/mem-projects/one-*/repository.json | jq .origin
rm -rf ../one; moved; git init -q ../one; moved; rm -rf ../one; mem note 'from two' -q; moved

# Two clones that are gone are both named.
cd ~; rm -rf two; git init -q three; git -C three remote add origin ssh://git@example.com/acme/shop; cd three
moved; start; mem where --all --jq '.stores[] | select(.link) | .memories'

# Another repository in the place of one that is gone, perhaps with its inode, is not that one.
cd ~; git init -q x; (cd x; mem note 'of x' -q); rm -rf x; git init -q y; cd y; moved; mem where 2>&1 | hide

# Another repository at the old path has a store of its own, and gets nothing; a link does not matter.
cd ~; git init -q shop; (cd shop; git remote add origin https://example.com/acme/bikes; mem note 'of bikes' -q); mv shop bikes
git init -q shop; cd shop; git remote add origin https://example.com/acme/blog; start; moved; mem search bikes
mem note 'of the blog' -q; mem notes --jq '.memories[].text'; cd ../bikes; moved; mem search blog 2>&1 | hide
cd ~; rm -rf shop; ln -s bikes shop; cd bikes; moved

# A store of an older build has the path alone; a write completes it, and nothing that only reads.
cd ~; git init -q old; cd old; mem note 'old' -q; record=$(echo "$XDG_DATA_HOME"/mem-projects/old-*/repository.json)
jq -c '{common_dir}' "$record" > old.json; cp old.json "$record"
mem where >/dev/null; mem doctor >/dev/null; mem get m-1 >/dev/null; cmp old.json "$record" && echo same
mem touch m-1 --tag x -q; jq 'has("directory")' "$record"; cp old.json "$record"; start >/dev/null; jq 'has("directory")' "$record"
cd ~; mem fsck --all | hide | sort
