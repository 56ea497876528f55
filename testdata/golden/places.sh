# Containers, CI, monorepos, no HOME: where there are not two layers as at home.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8}/-01234567/g'; }
hook() { echo '{"hook_event_name":"SessionStart","session_id":"'$1'"}' | mem hook codex; }
git init -q repo && cd repo && mem init --shared -q && mem note 'run make test first' -q && mem set /user/lang '{"type":"preference","text":"answer in German"}' -s chat -q

# A container: another home, and nobody to answer. MEM_TRUST lets the store of the image in.
export HOME=$HOME/container
mem notes --jq .count; hook 1 | grep -c 'make test'
export MEM_TRUST=$PWD/.mem
mem notes --jq .count; hook 2 | grep -c 'make test'; mem where | cut -f 1-3
mem note 'found in the container' --jq .layer; hook 3 | grep -c 'found in the container'

# No HOME: the project's store alone; what is the user's own is refused.
(unset HOME; mem notes --jq .count; mem note 'without a home' --jq .ok; mem note 'mine' --scope user; echo "exit $?"; mem where | cut -f 1-3; hook 4 | grep -c 'without a home'; ls .mem | grep -c injections)
(unset HOME MEM_TRUST; mem ls; echo "exit $?"; mem --root ../r set /x 1 -s chat; hook 5; echo "exit $?")

# CI: one store, named. It has no layers, and nothing else is read or written.
(unset HOME; MEM_ROOT=$PWD/../ci mem note 'in CI'; MEM_ROOT=$PWD/../ci mem ls -1)

# A monorepo: one repository, several stores; the nearest counts.
export HOME=${HOME%/container}; unset MEM_TRUST
cd .. && git init -q mono && cd mono && mkdir -p api/src web
(cd api && mem init -q && mem note 'the API speaks gRPC' -q)
(cd web && mem init -q && mem note 'the pages are static' -q)
mem note 'of the whole' -q
(cd api/src && mem notes --jq '.memories[].text'); (cd web && mem notes --jq '.memories[].text'); mem notes --jq '.memories[].text'
(cd api/src && mem where | hide)
