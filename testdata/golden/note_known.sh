# needs: jq
# The same words are not noted twice, and what says nearly the same is named.
export MEM_ROOT=memory
mem note 'The database listens on port 5432 of db1' --tag db
mem --now 2026-02-23T10:00:00Z note 'the  DATABASE listens on port 5432 of db1' --tag infra
mem notes --jq '.memories[] | {id, text, tags, ts}'
mem note 'The database listens on port 5433 of db1'
mem set /project/db --text 'The mail server listens on port 25 of mx1' -s chat -q
mem note 'The mail server listens on port 26 of mx1' --json
mem note 'Deploys run on Tuesdays' -q

# A note takes the place of others, in one append: they are told no more.
mem note 'The database listens on port 5434 of db1' --replaces m-1 --replaces m-2
mem notes --jq '.memories[] | [.id, .superseded_by]'
mem note 'mail: port 587' --replaces project/db
mem read --token-limit 200
mem get project/db --json --jq '[.content.superseded_by, .source.edited.verb]'

# What is known takes the place, too; nothing takes its own.
mem note 'Deploys run on Mondays'
mem note 'deploys run on tuesdays' --replaces m-7
mem note 'deploys run on tuesdays' --replaces m-4
mem get m-7 --jq .content.superseded_by

# What is not there is replaced by nothing.
mem query --history .ts | wc -l
wc -l < memory/log.jsonl # files
mem note x --replaces m-99; echo "exit $?"
mem note x --replaces /project/none; echo "exit $?"
mem note x --replaces m-4 --replaces /project/none; echo "exit $?"
mem note x --replaces ''; echo "exit $?"
mem note x --importance 11; echo "exit $?"
mem query --history .ts | wc -l
wc -l < memory/log.jsonl # files
mem fsck
