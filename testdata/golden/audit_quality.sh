# postgres: no (it adds to a log by hand)
# needs: jq sha256sum git
# Checks of mem audit besides the one for secrets: each finding comes with the command that mends it.
export MEM_ROOT=memory
found() { mem audit "$@" --json | jq -r '.found[].fix'; }
mend() { found "$@" > fixes; cat fixes; while read -r fix; do bash -c "$fix" >/dev/null 2>&1 || echo "failed: $fix"; done < fixes; mem audit "$@"; echo "exit $?"; }
mem set /fine '{"text":"nothing is wrong here","type":"fact"}' -s chat -q
mem audit --duplicates --stale 90 --unsourced --expired --dangling; echo "exit $?"
mem audit --duplicates -q; echo "exit $?"

# Duplicates: the newest is kept. Objects are merged, others removed; what is spelled apart is superseded.
mem set /db/port '{"type":"fact","text":"The db port is 5432.","tags":["db"]}' -s chat -q
mem set '/db/it'\''s the $port' '{"type":"note","text":"The db port is 5432.","tags":["port"]}' -s chat -q
mem set /words/a '"Deploy  on Friday"' -s chat -q; mem set /words/b '{"summary":"deploy on friday!"}' -s chat -q
mem set /spelled/a '{"text":"use  TABS"}' -s chat -q; mem set /spelled/b '{"text":"Use tabs."}' -s chat -q
mem set /equal/a '{"a":1,"b":[true]}' -s chat -q; mem set /equal/b '{"b":[true],"a":1}' -s chat -q; mem set /equal/c '{"b":[true],"a":2}' -s chat -q
mem set /flag/a true -s chat -q; mem set /flag/b true -s chat -q
mem audit --duplicates; echo "exit $?"
mem audit --duplicates --prefix /equal --json | jq -c '.scanned, .found[0]'
mend --duplicates
mem get "/db/it's the \$port"; mem get /spelled/a

# Expired.
mem set /offer --text 'half the price' --expires 2026-02-01 -s chat -q
mem audit --expired; mend --expired

# Unsourced: what names nothing that leads back. Under /kb words are not enough.
mem set /who/knows '{"text":"somebody said so"}' --source '{"note":""}' -q
# A line as another program, or a merge in git, may have left it.
mem --root other set /kb/fact '{"text":"a fact"}' --kind web --name x --url https://example.org -q
line=$(sed 's/"source":{[^}]*}}/"source":" "/; s/,"checksum":.*/}/' other/log.jsonl); echo "$line"
echo "${line%\}},\"checksum\":\"sha256:$(printf %s "$line" | sha256sum | cut -d ' ' -f 1)\"}" > other/log.jsonl
mem --root other fsck --repair | tail -n 1; cat other/log.jsonl >> memory/log.jsonl; mem fsck --repair | tail -n 1
mem audit --unsourced; mend --unsourced; mem get /kb/fact --jq .source.locator

# Stale: rules, and what is pinned, are as old as they like.
mem set /infra/a '"The cache is Redis"' -s chat -q
mem set /rule '{"type":"rule","text":"Answer in German"}' -s chat -q; mem set /pin '{"pinned":true,"text":"pinned"}' -s chat -q
export MEM_NOW=2026-09-01T10:00:00Z
mem audit --stale 300; mem audit --stale 180 --prefix /infra; echo "exit $?"
mend --stale 180 | tail -n 2

# More than one check, and what does not go.
mem set /a '"same"' -s chat -q; mem set /b --text same -s chat --ttl 1d -q; mem set /c '"same"' -s '{"by":0}' -q
mem audit --duplicates --unsourced --root memory; echo "exit $?"
mem set /b --text same -s chat -q; mem audit --duplicates --prefix /a; mem audit --duplicates --jq '.found[] | [.key, .others]'
mem audit --duplicates --history; mem audit --stale 0; mem audit --stale x; mem audit --stale; echo "exit $?"

# Of two layers each is looked at by itself, and its command works there.
unset MEM_ROOT; git init -q shop; cd shop
for l in user project; do mem set /x '"one"' -s me -q --layer $l; mem set /$l '"one"' -s me -q --layer $l; done
mem audit --duplicates; echo "exit $?"; mem audit --duplicates --layer user; mem set /third '"one"' -s me -q --layer project
mem audit --duplicates --all | sed 's/shop-[0-9a-f]*/shop-0/g'
found --duplicates --all > fixes; cat fixes | wc -l; bash fixes; mem audit --duplicates; mem ls -1
