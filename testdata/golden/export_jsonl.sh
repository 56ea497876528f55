# needs: cmp
# Live envelopes by key, with their times; never what is expired, voided or kept apart.
export MEM_ROOT=memory
mem export; echo "exit $?"
mem set /b '{"n":1.0}' -s chat -q
mem set /a '{"text":"牙科 <&>"}' -s chat -q
mem set /old '{"text":"over","expired_at":"2026-02-22T09:00:00Z"}' -s chat -q
mem set /gone 1 -s chat -q; mem rm /gone
mem set /kb/x 1 -s chat --on-untrusted quarantine -q 2> /dev/null
mem export
mem compact -q; mem set /c 3 -s chat -q
mem export --out backup.jsonl; mem export | cmp - backup.jsonl && echo 'the same'
mem export --prefix /c
mem --root other import backup.jsonl --mine --yes; mem --root other export | cmp - backup.jsonl && echo 'byte for byte'
mem import backup.jsonl

# Again to the same file: it holds envelopes only, and may be replaced. What anybody else wrote may not.
mem rm /c; mem export --out backup.jsonl
echo '{"key":"/by/hand","content":1,"source":"me"}' >> backup.jsonl
mem export --out backup.jsonl; echo "exit $?"
mem export --out backup.jsonl --json; echo "exit $?"
ln -s /etc/passwd link; mem export --out link; echo "exit $?"
mem export --out deep/er/backup.jsonl --json
mem export --out backup2.jsonl -q

# The store is no place for an export.
mem export --out memory/log.jsonl; echo "exit $?" # files
mem export --out memory/new/file.jsonl; echo "exit $?" # files
ln -s memory store; mem export --out store/x.jsonl; echo "exit $?" # files
mem export --format html; echo "exit $?"
mem export --out ''; echo "exit $?"
mem export --format claude-memory; echo "exit $?"
mem export everything; echo "exit $?"
ls -A .; ls -A memory # files

# A filter is for each line; a page is none of JSON.
mem --root f set /a '{"text":"x"}' -s chat -q; mem --root f set /b 2 -s chat -q; mem --root f set --force /agent/ada/core/01ARZ3NDEKTSV4RRFFQ69G5FAV 3 -s chat -q
mem --root f export --jq .key; mem --root f export --all -q --jq '[.key, .content]'; mem --root f export --jq '.key + 1'; mem --root f export --jq '.['; echo "exit $?"
mem --root f export --format memory-md --jq .; mem --root f export --format mcp --jq .; echo "exit $?"
mem --root f export --format memory-md; mem --root f export --format memory-md --out page.md --jq .memories
