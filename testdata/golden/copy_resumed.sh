# needs: jq
# What an earlier copy brought is left alone, wherever it was stopped.
for i in 1 2 3 4 5; do mem --root from set /a/$i $i -s chat -q; mem --root from set /a/$i '"changed"' -s chat -q; done
mem --root from rm /a/2 /a/3
head -n 7 from/log.jsonl | mem --root to import - -q --mine --yes; mem --root to compact -q
mem copy from to --json | jq -c '[.versions,.known]'; cmp <(cat to/archive/* to/log.jsonl 2> /dev/null) from/log.jsonl && echo same
mem copy from to; mem --root to history /a/3 | cut -f 2,4

# What other hands have put in the wrong order arrives in the right one, each version once.
head -n 4 from/log.jsonl > later; tail -n +3 from/log.jsonl > first; cat first later > from/log.jsonl
mem --root from fsck --repair > /dev/null
mem copy from sorted; mem --root sorted history /a/1 | cut -f 1,4; mem --root sorted log -q | wc -l; mem copy sorted again -q; cmp sorted/log.jsonl again/log.jsonl && echo same

# A key whose later version is there, and not those before it, came by another way.
tail -n 1 from/log.jsonl | mem --root odd import - -q --mine --yes; mem copy from odd; echo "exit $?"
