# What a stranger finds in a store.
mem --root memory set /user/preference/style '{"type":"preference","summary":"tabs"}' -s chat
mem --root memory set '/a' 1 -s chat
mem --root memory set '/a/b' 2 -s chat
mem --root memory compact
(cd memory && find . | LC_ALL=C sort)

# Private, but for the lock.
(cd memory && find . -type f | LC_ALL=C sort | xargs stat -c '%a %n')
(cd memory && find . -type d | LC_ALL=C sort | xargs stat -c '%a %n')

# The file of one memory, and the README.
cat memory/index/user/preference/style@*.json
head -n 3 memory/README.md

# The check of a line's checksum that the README gives works as printed.
cd memory
tail -n 1 log.jsonl | tr -d '\n' | sed 's/,"checksum":"[^"]*"}$/}/' | sha256sum
tail -n 1 log.jsonl | grep -o '"sha256:[0-9a-f]*"'
