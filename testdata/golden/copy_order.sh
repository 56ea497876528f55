# needs: jq
# What other programs have put in the wrong order arrives in the right one, each version once.
for i in 1 2 3 4 5; do mem --root from set /a/$i $i -s chat -q; mem --root from set /a/$i '"changed"' -s chat -q; done
mem --root from rm /a/2 /a/3
head -n 4 from/log.jsonl > later; tail -n +3 from/log.jsonl > first; cat first later > from/log.jsonl
mem --root from fsck --repair > /dev/null
mem copy from sorted; mem --root sorted history /a/1 | cut -f 1,4; mem --root sorted log -q | wc -l; mem copy sorted again -q; cmp sorted/log.jsonl again/log.jsonl && echo same

# A copy that was cut short is refused, and begins again where it is gone.
head -n 7 sorted/log.jsonl | mem --root to import - -q --mine --yes
mem copy sorted to; echo "exit $?"; rm -r to; mem copy sorted to --json | jq -c '.versions'; cmp to/log.jsonl sorted/log.jsonl && echo same
