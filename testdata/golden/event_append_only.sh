# needs: jq
# Events and artifacts are append-only: only a purge takes one out. They have no files of their own.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
e=/event/s1/$(mem event --session s1 --text 'it rained' --jq .event_id); a=/artifact/$(echo rain | mem artifact add -)
mem set /project/x '{"text":"x"}' -s x -q > /dev/null
for key in $e $a; do
  for verb in "set $key {} -s x" "set $key null -s x" "rm $key" "touch $key --tag x" "mv $key /project/y" "mv /project/x $key" "forget $key" "merge $key /project/x --into $key" "supersede $key /project/x" "edit $key"; do
    EDITOR=true mem $verb 2>&1 | sed -n 1p | ids; echo "exit ${PIPESTATUS[0]}"
  done
done
mem set $e '{}' -s x --force 2>&1 | ids; mem rm $e --force 2>&1 | ids; mem forget --prefix /event --yes 2>&1 | ids
printf '{"key":"%s","content":{"text":"it shone"},"source":"x"}\n' $e | mem set - 2>&1 | ids; mem get $e --jq .content.content.text
# The envelope of one may come from elsewhere, but not in the place of one that is there.
mem export --prefix /event > out.jsonl; MEM_ROOT=other mem import out.jsonl; MEM_ROOT=other mem get $e --jq .content.content.text
MEM_ROOT=other mem import out.jsonl; sed 's/rained/shone/; s/,"checksum":"[^"]*"//; s/00:00:00/00:00:01/' out.jsonl > changed.jsonl
MEM_ROOT=other mem import changed.jsonl 2>&1 | ids; MEM_ROOT=other mem get $e --jq .content.content.text
# No file of its own, nothing in ls, search, read and stat by itself; below the prefix it is there.
find memory/index -type f | wc -l # files
mem ls; mem search rained; mem read; mem query '.content' ; mem ls /event | cut -f 2-; mem search --prefix /event rained --jq .count
mem fsck; mem compact -q; mem fsck
rm -r memory/index # files
mem set /project/z 1 -s x -q > /dev/null; mem fsck
# A purge takes it out; of a session with all its events.
mem forget --purge --yes $e -q; mem get $e 2>&1 | ids
grep -c rained memory/log.jsonl # files
for i in 1 2 3; do mem event --session s9 --text "snow $i" -q > /dev/null; done; mem event --session s10 --text 'snow too' -q > /dev/null
mem forget --session s9 --yes 2>&1; mem forget --purge --yes --session s9 | ids; mem fsck
grep -c snow memory/log.jsonl # files
