# The help that scripts and people rely on.
mem help exit-codes
mem help format | head -n 1
mem help editing | head -n 2
mem | head -n 3
mem help | grep -cE "^  (set|get|note|notes|search|read|ls|edit|forget|history|undo|setup|doctor|where|page|help) "
for group in records tidy stores agents server; do mem help $group | head -n 1; done
mem help log | grep "^  mem history"; mem help unpin | grep "^  mem pin"
for verb in set edit touch mv merge supersede undo diff rm approve reject note forget get read ls query history notes prompt stat compact fsck init version; do mem help $verb | grep -A1 '^Usage:' | tail -n 1; done
mem help nonsense; echo "exit $?"
mem help gett; echo "exit $?"
mem help flags | tail -n 8
