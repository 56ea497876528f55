# Two logs put together with cat, in either order and with lines twice, are one store.
for s in one two; do
  mem --root $s set /shared "\"$s\"" -s $s -q; mem --root $s set /$s 1 -s $s -q
done
mem --root two --now 2026-02-22T11:00:00Z set /one null -s two; mem --root two --now 2026-02-22T11:00:00Z rm /shared
mem --root one --now 2026-02-22T11:30:00Z set /shared '"one, later"' -s one -q
mkdir ab ba
cat one/log.jsonl two/log.jsonl > ab/log.jsonl
cat two/log.jsonl one/log.jsonl two/log.jsonl > ba/log.jsonl
for s in ab ba; do MEM_NOW=2026-02-22T12:00:00Z mem --root $s query '[.key,.content]'; done

# Equal times: the greater line wins, on both sides.
diff <(mem --root ab query .) <(mem --root ba query .) && echo 'the same'
mem --root ab compact -q; mem --root ba compact -q
diff ab/state.jsonl ba/state.jsonl && echo 'the same'
mem --root ab fsck --repair | tail -n 1; mem --root ba fsck --repair | tail -n 1
diff -r ab/index ba/index && echo 'the same'
