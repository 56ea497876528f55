# postgres: no (it is about a .mem)
# needs: git
# What a repository brings is not the user's own, whatever system it is of and wherever its git directory is: no new line is injected before
# mem trust lists it, and a config.json that may have come with it has no effect.
start() { echo '{"hook_event_name":"SessionStart","session_id":"'$1'"}' | mem hook codex | grep -o -e 'Facts noted[a-z ]*' -e 'tea' -e 'PULLED'; }
line() { l='{"key":"/project/'$1'","ts":"2026-02-22T09:00:00.000000Z","valid":true,"source":"x","content":"'$1'"'; echo "$l,\"checksum\":\"sha256:$(printf '%s}' "$l" | sha256sum | cut -c 1-64)\"}"; }
pulled() { line PULLED >> .mem/log.jsonl; echo '{"memory":{"max_total":1}}' > .mem/config.json; }
shown() { pulled; start $1; mem config list --layer project --show-origin 2>&1 | grep -e warning -e config.json; mem note 'a cup of coffee' -q; mem notes --jq .count; mem doctor | grep 'config  .* came'; }
git config --global user.name a; git config --global user.email a@example.org; git config --global protocol.file.allow always

# Other systems, at the .mem's directory, above it, or in it.
for mark in .jj .hg .svn ../.sl .mem/.hg _FOSSIL_; do echo "# $mark"; n=$((n+1)); mkdir -p "work$n/in/.mem"; (cd "work$n/in"; mkdir -p "$mark"; mem trust . --yes -q; mem note tea -q; shown "$mark"); done
mkdir hg && cd hg && mkdir .hg && mem init -q && mem config set memory.max_total 1 --layer project; echo "exit $?"; mem config list --layer project | head -n 1; cd ..

# A git directory elsewhere: for the variables of git and without them, in the place of the work tree, or around a .mem.
mkdir -p dot/.mem && cd dot && git init -q --bare ../dot.git && mem trust . --yes -q && mem note tea -q
(export GIT_DIR=$PWD/../dot.git GIT_WORK_TREE=$PWD; shown dot1)
rm .mem/config.json; (export GIT_DIR=../dot.git; shown dot2)
rm .mem/config.json; (git --git-dir=../dot.git config core.bare false; git --git-dir=../dot.git config core.worktree ../dot; export GIT_DIR=$HOME/dot.git; shown dot3)
start dot4; cd ..
git init -q --bare bare && cd bare && mkdir .mem && mem trust . --yes -q && mem note tea -q; shown bare; cd ..

# A .mem that is a submodule, a work tree, or a repository of its own.
mkdir evil && cd evil && git init -q && line tea > log.jsonl && echo '{"memory":{"max_total":1}}' > config.json && git add . && git commit -q -m m && cd ..
git init -q shop && cd shop && git submodule --quiet add "$HOME/evil" .mem && mem trust . --yes -q; shown submodule; cd ..
git init -q tree && cd tree && git commit -q --allow-empty -m t && git fetch -q ../evil && git worktree add -q .mem FETCH_HEAD && mem trust . --yes -q; shown worktree; cd ..
git clone -q evil nested/.mem && cd nested && mem trust . --yes -q; shown nested; cd ..; rm -rf evil
git init -q inner && cd inner && mem init -q && git add -f .mem/log.jsonl 2>/dev/null; echo '{"memory":{"max_total":1}}' > .mem/config.json; git add -f .mem/config.json; git init -q .mem; mem note tea -q; shown inner; cd ..

# A repository of one's own in a .mem: what it does not track is in force.
mkdir -p own/.mem && cd own && mem init -q && git init -q .mem && mem config set memory.max_total 1 --layer project; mem config list --layer project --show-origin | grep config.json
