# Forgetting for good: every version leaves the history, and the rest is searched for it.
export MEM_ROOT=memory
mem set /person/bob '{"text":"Bob lives at 12 Zanzibar Street","tags":["home"],"zip":90210}' -s 'slack thread' -q
mem compact -q
mem set /person/bob '{"text":"Bob lives at 14 Zanzibar Street","tags":["home"],"zip":90210}' -s 'slack thread' -q
mem set /trip '{"text":"packed for Zanzibar"}' -s 'slack thread' -q
mem set /friend '{"zip":90210}' -s mail -q
mem rm /trip

# A dry run lists what would go: what is live, or with --purge every version there ever was.
mem forget --grep zanzibar --dry-run; echo "exit $?"
mem forget --grep zanzibar --purge --dry-run; echo "exit $?"
mem forget --grep nowhere --dry-run; echo "exit $?"

# A purge says what it took, what else holds the same, and what it cannot know.
mem forget /person/bob --purge --yes --reason 'Bob asked to'; echo "exit $?"
grep -rlaE 'Street|home' memory; echo "grep $?" # files
mem history /person/bob
mem forget --list
mem fsck

# An old copy does not bring it back.
echo '{"key":"/person/bob","ts":"2026-02-22T09:00:00Z","source":"backup","content":{"text":"12 Zanzibar Street"}}' | mem import -
echo '{"key":"/person/bob","ts":"2026-02-22T09:00:00.000000Z","valid":true,"source":"backup","content":{"text":"12 Zanzibar Street"}}' >> memory/log.jsonl # files
mem fsck; echo "exit $?" # files
mem fsck --repair; echo "exit $?" # files
grep -rlaE "12 Zanzibar" memory # files

# Without a trace: not even the key stays.
mem forget /trip --forget-key --yes --json | jq -c '.versions, .stores[0].keys, .stores[0].proved'
grep -rlaE 'trip|packed' memory; find memory -name '*trip*' # files
mem forget --list
mem set /person/bob '"moved away"' -s mail -q
mem get /person/bob
mem forget --list --json | jq -c '.deletions[] | [.key, .purged, .live, .reason]'

# The reason must not say what is to be forgotten; nor is there a purge without a name.
mem forget /friend --purge --yes --reason 'his zip is 90210'; echo "exit $?"
mem forget --purge --yes; echo "exit $?"
mem forget /friend --tag x; echo "exit $?"
mem forget /friend --purge --yes -s mail; echo "exit $?"
mem forget --tag home --purge < /dev/null; echo "exit $?"
mem forget /nobody --purge --yes; echo "exit $?"
mem get /friend

# Many at once, softly: by prefix, tag, type, time and session.
mem set /session/s1/mem_1 '{"type":"finding","text":"a","tags":["x.y"]}' -s t -q
mem set /session/s1 '{"user_id":"u"}' -s t -q --force
mem set /log/old '{"type":"note","text":"b","created_at":"2026-01-01"}' -s t -q
mem set /log/new '{"type":"note","text":"c"}' -s t -q
mem forget --type note --until 30d --yes; mem ls /log -q | cut -f1
mem forget --tag x --dry-run
mem forget --session s1 --reason 'the session is over' --yes
mem forget --prefix /log --json --yes
mem forget --prefix /log --yes; echo "exit $?"
mem forget --list | head -n 4
mem forget --list /friend; echo "exit $?"
mem audit; mem fsck

# A memory that only names the one that went is told apart.
mem set /ship/old '{"text":"sailed"}' -s ada -q; mem set /ship/new '{"text":"lies","references":["/ship/old"]}' -s ada -q
mem forget /ship/old --forget-key --yes | grep names | cut -f 1,3
