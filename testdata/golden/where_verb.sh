# Which stores are used here, and why.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8}/-01234567/g; s/(identity(":")? ?)[0-9a-f]{8,}/\101234567/g'; }
mem where; mem where --root r; MEM_ROOT=r mem where
git init -q app && cd app && mem set /a 1 -s chat -q && mem set /user/a 1 -s chat -q && mem where | hide
mem where --json | hide
mkdir -p sub && cd sub && mem init -q && mem where
mkdir -p ../../planted/.mem && cd ../../planted && mem where
cd ~ && mv app moved && mem where --all | hide
mem where --all --jq '.stores[] | select(.gone) | .memories'
mem where nothing; echo "exit $?"
