# An id that notes lists works in every verb and from every directory: an id that a note of each layer has names neither, until --layer says which.
# needs: jq git
# postgres: no (it is about two layers)
unset MEM_ROOT; export HOME=$PWD/home XDG_DATA_HOME=$PWD/data; mkdir -p home shop; git init -q shop
mem note 'first outside' -q; mem note 'second outside' -q; cd shop; mem note 'first of the shop' -q
listed() { mem notes --jq '.memories[] | [.id, .text, .layer] | join(" ")'; }
listed; for verb in get history pin forget; do mem $verb m-1; echo "exit $?"; done; listed
mem --layer project get m-1; mem get /note/workspace/m-1; mem --layer project forget m-1; listed

# With the shop's note gone, m-1 is the user's, which is listed; undo brings back what was deleted last.
mem get m-1; mem pin m-1 -q; mem touch m-1 --importance 5 -q; mem history m-1 | wc -l
EDITOR='sed -i s/first/one/' mem edit m-1 -q; mem unpin m-1 -q; listed
mem note 'second corrected' --replaces m-2; listed
mem forget m-1; listed; mem undo m-1 -q; listed; cd ..; mem get m-1; mem forget m-1; mem forget m-1; echo "exit $?"
