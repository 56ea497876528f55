# postgres: no (it is about lines that another program writes)
# needs: git
# A line with the last time there is leaves no room for the stamps of later writes: the next writer sets it aside. No write may have such a time.
line() { l='{"key":"'$1'","ts":"'$2'","valid":true,"source":"x","content":"'$3'"'; echo "$l,\"checksum\":\"sha256:$(printf '%s}' "$l" | sha256sum | cut -c 1-64)\"}"; }
git config --global user.name a; git config --global user.email a@example.org

# Pulled into a .mem that git tracks: with a key of one's own, and with a new one.
git init -q -b main one && cd one && mem init --shared --yes -q 2>/dev/null && mem set /p/own '"base"' -s me -q && git add -A && git commit -qm base
git clone -q . ../two && cd ../two && mem trust . --yes -q && mem set /p/own '"mine"' -s me -q && git commit -qam mine
(cd ../one; line /p/own 9999-12-31T23:59:59.999999Z boom >> .mem/log.jsonl; line /p/new 9999-12-31T23:59:59.999998Z boom >> .mem/log.jsonl; git commit -qam boom)
git pull -q --no-rebase --no-edit; mem get /p/own -q
mem set /p/own '"later"' -s me -q; echo "exit $?"; mem get /p/own -q; mem get /p/new; echo "exit $?"
CLAUDECODE=1 mem set /p/agent 1 -q; mem rm /p/own -q; mem get /p/own; mem undo --last
mem fsck; cat .mem/quarantine/* | jq -c '[.key,.ts]'; git diff --stat | cat; git commit -qam later; cd ../one && git pull -q --no-rebase --no-edit ../two main; mem get /p/own -q; mem set /p/b 1 -s me -q; mem fsck; cd ..

# Appended to a store in place, and to one that was never written since; a clock that is behind loses nothing.
export MEM_ROOT=plain; mem set /a 1 -s me -q; line /b 9999-12-31T23:59:59.999999Z boom >> plain/log.jsonl
mem note 'writes go on' -q; mem ls -1; line /c 2099-01-01T00:00:00.000000Z honest >> plain/log.jsonl; mem --now 1970-01-01T00:00:00Z set /d 1 -s me -q; mem ls -1; mem history /d | cut -f 1
mkdir fresh; line /b 9999-12-31T23:59:59.999999Z boom > fresh/log.jsonl; MEM_ROOT=fresh mem set /a 1 -s me -q; MEM_ROOT=fresh mem ls -1

# In an archive only a repair removes it; it stops no write.
mkdir -p old/archive; line /b 9999-12-31T23:59:59.999999Z boom > old/archive/log_20260101T000000Z.jsonl; chmod -R go= old
(export MEM_ROOT=old; mem set /a 1 -s me -q; mem set /a 2 -s me -q; mem history /a | cut -f 1; mem fsck --repair | tail -n 1; mem get /a)

# A write of one's own.
mem set /e 1 -s me --now 9999-12-31T23:59:59.999999Z; echo "exit $?"
MEM_NOW=9999-01-01T00:00:00Z CLAUDECODE=1 mem note x; echo "exit $?"; MEM_NOW=9999-01-01T00:00:00Z mem rm /a; echo "exit $?"
line /f 9999-01-01T00:00:00.000000Z x | mem import - --now 9999-01-01T00:00:00Z; echo "exit $?"
mkdir clock; export MEM_ROOT=clock; mem set /a 1 -s me -q --now 9998-12-31T23:59:59.999999Z; mem set /a 2 -s me -q; mem set /b 2 -s me -q; rm clock/watermark; mem set /b 3 -s me -q; mem history /b | cut -f 1,4; mem fsck --repair | tail -n 1
MEM_ROOT=plain mem fsck --repair -q
