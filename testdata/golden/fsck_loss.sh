# postgres: no (it damages files)
# A person gives up what an archive without a backup has lost; the rest of the history stays.
export MEM_ROOT=memory
mem config set rotate.lines 3 -q
mem note 'builds need Go 1.26' -q
mem set /a '{"text":"first"}' -s chat -q
mem set /b '{"text":"to be deleted"}' -s chat -q
mem compact -q
mem note 'forgotten later' -q
mem forget m-2 -q; mem rm /b -q
mem set /a '{"text":"second"}' -s chat -q
mem compact -q
mem set /a '{"text":"third"}' -s chat -q
ls memory/archive
mem fsck; echo "exit $?"
first=archive/log_20260222T100000Z.jsonl second=archive/log_20260222T100000Z-2.jsonl

# The second has lost its end, and there is no backup: no repair helps, and each names the way out.
cut=$(head -c -40 memory/$second; echo x); printf %s "${cut%x}" > memory/$second
mem fsck; echo "exit $?"
mem fsck --repair; echo "exit $?"
mem doctor | grep archive
cp -R memory before

# Only a person may, and only where something is lost that no repair puts right.
CLAUDECODE=1 mem fsck --accept-loss $second --yes; echo "exit $?"
mem fsck --accept-loss $second; echo "exit $?"
mem fsck --accept-loss $first --yes; echo "exit $?"
mem fsck --accept-loss log.jsonl --yes; echo "exit $?"
mem fsck --accept-loss archive/log_19990101T000000Z.jsonl --yes; echo "exit $?"
mem fsck --accept-loss $second --adopt --yes; echo "exit $?"
mem fsck --accept-loss $second --root none --yes; echo "exit $?"
diff -r -x ops.jsonl before memory && echo nothing changed; rm -r before

mem fsck --accept-loss memory/$second --yes; echo "exit $?"
mem fsck; echo "exit $?"
mem ls -1; mem history /a --json --jq .count
grep -l 'second' memory/quarantine/*

# No number comes again, and what was deleted stays deleted.
mem note 'has a new number' --json --jq .id
mem get m-2; mem get /b

# A purge takes what is in quarantine/ too.
mem forget /a --purge --yes -q; grep -rl second memory; echo "exit $?"

# An archive that is gone as a whole.
rm memory/$first
mem fsck --accept-loss $first --yes --json; echo "exit $?"
mem fsck --accept-loss $first --yes; echo "exit $?"
mem ls -1; mem fsck -q; echo "exit $?"
