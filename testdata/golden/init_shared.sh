# A store that git tracks: two branches note something, and git merges them.
# needs: git
git init -q -b main app && cd app && git config user.name ada && git config user.email ada@example.com
ids() { sed -E 's/m-([0-9]+)-[a-z]{6}/m-\1-xxxxxx/g'; }
mem init --shared 2>&1; cat .mem/.gitignore .mem/.gitattributes
mem note 'the first' | ids; git add .mem && git commit -qm first && git ls-files
git branch other && mem note 'noted on main' | ids && git commit -qam main
git checkout -q other && mem note 'noted on other' | ids && git commit -qam other
git merge -q main -m merged 2>&1; git status --short
mem notes --jq '.memories[] | .text' | sort; mem fsck; echo "exit $?"; mem doctor -q | grep -v path
git clone -q . ../clone && cd ../clone && mem notes --jq .count; mem trust --yes -q 2>/dev/null
mem notes --jq '.memories[] | .text' | sort; mem fsck; echo "exit $?"; mem doctor -q | grep -v path
mem note 'from the clone' | ids; mem fsck; git status --short
cd ../app && git worktree add -q ../tree main && cd ../tree && mem trust --yes -q 2>/dev/null && mem notes --jq .count; mem fsck; mem doctor -q | grep -v path

# What one pulls is listed before hooks tell it.
cd ../clone && git config user.name eve && git config user.email eve@example.com && git commit -qam 'from the clone'
cd ../app && git pull -q ../clone other && echo '{"hook_event_name":"SessionStart"}' | mem hook codex | grep -c 'from the clone'
mem trust --yes 2>&1 | ids; echo '{"hook_event_name":"SessionStart"}' | mem hook codex | grep -c 'from the clone'

# Sessions stay with the user, where git tracks the project's store.
mem set /session/s1 1 -s chat --force; mem set /decision/d1 1 -s chat

# A private one is listed before it becomes public.
git init -q ../private && cd ../private && mem init 2>&1 && mem note 'a secret plan' && git status --short
mem init --shared </dev/null; echo "exit $?"; git status --short; mem init --shared --yes; git status --short
mem init --shared --root x; echo "exit $?"
