# Searching notes: by a part of the text, by tag, by both; newest first, at most 20.
export MEM_ROOT=memory
mem notes; echo "exit $?" # files
mem note 'User prefers tabs over spaces' --tag Preference
mem note 'The Database is PostgreSQL' --tag infra,db
mem note 'database backups run at noon' --tag infra
mem notes
mem notes --query DATABASE
mem notes --query database --tag db
mem notes --tag preference
mem notes --tag pref
mem notes --query infra
mem notes --query '' --tag ''

# Twenty at most; a word on stderr says that there are more.
for n in $(seq 25); do mem note "filler $n" -q; done
mem notes --jq '.count, .memories[0].id, .memories[-1].id'
mem notes --query filler --jq '.memories | map(.text) | join(" ")' -q
mem notes --query 'filler 25' --jq .count

# What stands below /note and is no note is not found.
mem set /note/other '{"text":"filler by hand"}' -s chat -q
mem set /note/user/m-99 '{"text":"a note by hand"}' -s chat; echo "exit $?"
echo '{"key":"/note/user/m-99","ts":"2026-02-22T11:00:00Z","content":{"text":"a note by hand"},"source":"import"}' | mem set - -q
mem notes --query 'by hand'
mem note 'the number goes on'
mem notes database; echo "exit $?"
