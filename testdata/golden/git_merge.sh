# postgres: no (it is about git)
# needs: git
# Two copies of a store in git, changed apart and merged line by line: the newest write of each key counts.
git init -q -b main . && git config user.name a && git config user.email a@example.org
printf '%s\n' 'memory/log.jsonl merge=union' > .gitattributes
printf '%s\n' /memory/index /memory/watermark /memory/ops.jsonl /memory/lock > .gitignore
export MEM_ROOT=memory
mem set /both '"base"' -s base -q; mem set /gone '"base"' -s base -q; mem set /kept '"base"' -s base -q
git add . && git commit -q -m base

# One branch voids and changes, the other changes and adds.
git checkout -q -b side
mem --now 2026-02-22T11:00:00Z set /both '"side"' -s side -q
mem --now 2026-02-22T11:00:00Z rm /gone
git commit -q -a -m side
git checkout -q main
mem --now 2026-02-22T12:00:00Z set /both '"main"' -s main -q
mem --now 2026-02-22T12:00:00Z set /new '"main"' -s main -q
git commit -q -a -m main
git merge -q -m merged side >/dev/null; echo "exit $?"

# The log is merged; readers see it at once, and the next write brings the index along.
export MEM_NOW=2026-02-22T13:00:00Z
mem query '[.key,.content]'
mem set /after 1 -s chat -q
find memory/index -name '*@*' | wc -l
mem get /both
mem fsck --repair | tail -n 1; mem fsck; echo "exit $?"
mem history /both | cut -f 1,3,4
