# Where a write goes: by its key, in a repository to the project's store, the rest to the user's.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8}\//-01234567\//'; }
git init -q app && cd app && mkdir -p src/deep
for key in /user/lang /agent/a/role/1 /rules/user/r /rules/org/r /rules/project/r /project/db /session/s1 /kb/x; do mem set --yes $key '"v"' --kind user --name ada --retrieved-at 2026-02-22T10:00:00Z --locator '{"query":"q"}' --force | hide; done
mem note 'answers in German' --scope user
mem note 'port is 3306'
mem note 'just now' --scope session

# Subdirectories and work trees share it; another repository does not, nor does a submodule.
(cd src/deep && mem get /project/db)
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git worktree add -q ../tree
(cd ../tree && mem get /project/db && mem notes --jq '.memories[].id')
git init -q ../other && (cd ../other && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one; mem get /project/db; echo "exit $?"; mem get u-1; mem note 'port is 3307')
git -c protocol.file.allow=always submodule add -q ../other part && (cd part && mem ls -1)

# --layer decides otherwise, and --root knows no layers.
mem set /project/db '"mine"' -s chat --layer user | hide
mem set /user/lang '"en"' -s chat --layer project | hide
mem note 'for all' --layer user; mem get u-2; mem note 'mine, here' --scope user --layer project
mem set /x 1 -s chat --layer team; echo "exit $?"
mem set /x 1 -s chat --layer user --root r; echo "exit $?"
(cd .. && mem set /x 1 -s chat --layer project; echo "exit $?")
mem --root r note 'one store' --scope user

# Outside of every project there is one store.
cd .. && mem set /project/db '"nowhere"' -s chat; mem note 'of no project'; mem note 'mine' --scope user

# Each line of a batch goes where it belongs, and a bad line keeps all of them out.
cd app && printf '{"key":"/user/a","content":1}\n{"key":"/b","content":2}\n' > batch
mem set - -s chat < batch; mem ls -l /user/a; mem ls -l /b
printf '{"key":"/user/c","content":1}\n{"key":"d","content":2}\n' | mem set - -s chat; echo "exit $?"
mem get /user/c 2>/dev/null; echo "exit $?"

# Conditions look into the store that is written to.
mem set /only/user 1 -s chat --layer user -q; mem set /only/user 2 -s chat --if-absent | hide
mem set /only/user 3 -s chat --if-absent >/dev/null; echo "exit $?"
mem set /user/a 2 -s chat --json --jq .layer
