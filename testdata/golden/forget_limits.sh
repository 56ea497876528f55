# What a condition means, and what it never means.
export MEM_ROOT=memory
mem set /a/one '{"text":"alpha uses kafkaesque queue","tags":["infra"]}' -s 'chat with Ada' -q
mem set /a/two '{"text":"beta","tags":["infra","old"]}' -s 'chat with Ada' -q
mem set /kb/v '{"text":"kafkaesque too"}' -s web --on-untrusted quarantine -q
mem set --force /agent/ann/core/01ARZ3NDEKTSV4RRFFQ69G5FAV '{"text":"kafkaesque ann"}' -s t -q

# Nothing is not everything.
mem forget --type ''; echo "exit $?"
mem forget --tag ''; echo "exit $?"
mem forget --grep ' '; echo "exit $?"
mem forget --session /; echo "exit $?"
mem forget; echo "exit $?"
mem ls /a | cut -f1

# A text is looked for in keys and in what memories say, not in the names of their members.
mem forget --grep text --dry-run; echo "exit $?"
mem forget --grep ada --dry-run; echo "exit $?"
mem forget --grep ada --purge --dry-run; echo "exit $?"
mem forget --grep KAFKAESQUE --dry-run; echo "exit $?"
mem forget --grep kafkaesque --all --dry-run; echo "exit $?"
MEM_AGENT=ann mem forget --grep kafkaesque --dry-run -q
mem forget --prefix /untrusted --dry-run
mem forget /a/one /nope --dry-run; echo "exit $?"

# A key as a page prints it.
mem forget a/two; echo "exit $?"
mem forget a/two; echo "exit $?"

# What else lies below the root is looked into, and not touched.
cp memory/log.jsonl memory/log.jsonl.bak # files
mem forget --grep kafkaesque --purge --yes --reason 'Kafkaesque thing' > purged 2>&1; echo "exit $?" >> purged
cat purged # files
mem forget /a/one --purge --yes --reason 'no kafkaesque queues' > purged 2>&1; echo "exit $?" >> purged
cat purged # files
rm memory/log.jsonl.bak # files
mem set /a/one '{"text":"alpha uses a baroque queue"}' -s 'chat with Ada' -q
mem forget a/one --purge --yes --reason wrong -q; mem forget --list | head -n 1
mem forget /a/one --purge --yes --reason right; echo "exit $?"
mem forget /a/one --purge --yes --json; echo "exit $?"
mem forget /a/one --forget-key --yes -q; echo "exit $?"
grep -rla a/one memory # files
mem fsck
