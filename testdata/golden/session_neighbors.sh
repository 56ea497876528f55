# What was said right before or after a hit is found, too, by a share of its score.
export MEM_ROOT=memory USER=ada LOGNAME=ada MEM_NOW=2026-02-22T10:00:00Z
S=$(mem session create)
say() { MEM_NOW=2026-02-22T10:00:0$1Z mem remember $S "$2" --type conversation --role "$3" -q > /dev/null; }
say 1 'Where do tokens leak?' user; say 2 'In the logs of the proxy' assistant
for i in 3 4 5 6; do say $i "Something else, $i" user; done
mem search tokens --session $S --why | cut -f 2-
mem search proxy --session $S | cut -f 4-
