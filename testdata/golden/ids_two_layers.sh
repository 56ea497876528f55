# An id that notes lists works in every verb and from every directory. A short id that notes of two layers have or had means neither, until --layer says which.
# needs: jq git
# postgres: no (it is about two layers)
unset MEM_ROOT; export HOME=$PWD/home XDG_DATA_HOME=$PWD/data; mkdir -p home shop; git init -q shop
mem note 'first outside' -q; mem note 'second outside' -q; cd shop; mem note 'first of the shop' -q
listed() { mem notes --jq '.memories[] | [.id, .text, .layer] | join(" ")' | sort -k 2; }
listed; for verb in get history pin forget; do mem $verb m-1; echo "exit $?"; done; listed
id() { mem notes --jq ".memories[] | select(.text == \"$1\") | .id"; }; first=$(id "first outside")
mem --layer project get m-1; mem get /note/workspace/$(id "first of the shop"); mem --layer project forget m-1; listed

# With the shop's note gone m-1 is still an id of two; the whole id means the user's, and undo brings back what was deleted last.
mem get m-1; echo "exit $?"; mem get $first; mem pin $first -q; mem touch $first --importance 5 -q; mem history $first | wc -l
EDITOR='sed -i s/first/one/' mem edit $first -q; mem unpin $first -q; listed
mem note 'second corrected' --replaces m-2; listed
mem forget $first; listed; mem undo $first -q; listed; cd ..; mem get m-1; mem forget m-1; mem forget m-1; echo "exit $?"
