# A voided key is gone from every view, can come back, and never by itself.
export MEM_ROOT=memory
mem set /user/name '{"text":"Ada"}' -s chat -q
mem set /user/name null -s chat
mem get /user/name; echo "exit $?"
mem ls; mem read; mem query .key
find memory/index -type f # files
grep -c Ada memory/log.jsonl # files
tail -n 1 memory/log.jsonl # files

# Through a compaction, and again when the derived files are gone.
mem compact
wc -l < memory/state.jsonl # files
rm -r memory/index memory/watermark # files
mem ls
mem set /user/other 1 -s chat -q
find memory/index -type f # files

# Back again, with the same path.
mem set /user/name '{"text":"Ada L."}' -s chat
mem get /user/name
mem history /user/name | cut -f 2,4

# Voiding what never was is a write too when it is asked for with null, and only a message with rm.
mem set /never null -s chat; echo "exit $?"
mem history /never | cut -f 2-
mem rm /never/ever; echo "exit $?"
