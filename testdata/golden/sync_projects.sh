# The memories of a project go to its clone on another machine, where a person says so.
# needs: git
laptop() { HOME=$PWD/laptop "$@"; }; desk() { HOME=$PWD/desk "$@"; }; hide() { sed -E "s,$HOME,DIR,g; s/-[0-9a-f]{8}(-[0-9a-f]{8})?/-HASH/g; s/(m-[0-9])-[a-z]{6}/\1-LETT/g; s/[^ ]+ \([0-9a-f]{8}\)/NAME (ID)/"; }
mkdir laptop desk; for m in laptop desk; do git init -q $m/shop; done
git -C laptop/shop remote add origin https://git.example/me/shop.git; git -C desk/shop remote add origin git@git.example:me/shop
in_() { (export HOME=$PWD/$1; cd $1/shop && shift && "$@"); }
in_ laptop mem note 'the port is 3306' -q; laptop mem sync init depot --yes -q > key 2>&1
mkdir -p desk/.local/state/mem/sync; cp laptop/.local/state/mem/sync/key desk/.local/state/mem/sync/; desk mem sync join depot --yes
# The clone was not used yet: the memories wait in a store of their own.
in_ desk mem notes --jq '.memories[].text'; in_ desk mem where | hide; desk mem doctor | grep 'no repository' | hide; in_ desk mem project link --yes | hide; in_ desk mem notes --jq '.memories[].text'
in_ desk mem note 'uses Go 1.26' | hide; desk mem sync | hide; laptop mem sync | hide; in_ laptop mem notes --jq '.memories[].text'
# A clone that has memories already, and a folder that claims to be the project, ask first.
mkdir other; git init -q other/shop; git -C other/shop remote add origin ssh://git@git.example/me/shop; in_ other mem note 'I claim to be the shop' -q
mkdir -p other/.local/state/mem/sync; cp key /dev/null; cp laptop/.local/state/mem/sync/key other/.local/state/mem/sync/
HOME=$PWD/other mem sync join depot --yes 2>&1 | hide; in_ other mem notes --jq '.memories[].text'; laptop mem sync | hide
HOME=$PWD/other mem sync accept 00000000 --yes; HOME=$PWD/other mem sync accept $(in_ other mem where --jq '.stores[].identity | select(. != null) | .[:8]') --yes | hide
in_ other mem notes --jq '.memories[].text' | sort; laptop mem sync -q; in_ laptop mem notes --jq '.memories[].text' | sort
