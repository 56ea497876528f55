# postgres: no (it damages files)
# The index is derived: whatever happens to it, the log puts it right, and hand edits are not lost.
export MEM_ROOT=memory
mem set /a '{"text":"a"}' -s chat -q
mem set /b '{"text":"b"}' -s chat -q
mem set /c '{"text":"c"}' -s chat -q

# A missing file.
rm memory/index/a@*.json
mem ls -1
mem fsck; echo "exit $?"
mem fsck --repair; echo "exit $?"
ls memory/index

# An edited file: --repair keeps a copy of it, --adopt makes it a write.
sed -i.bak 's/"text": "b"/"text": "better"/' memory/index/b@*.json; rm memory/index/*.bak
mem fsck; echo "exit $?"
mem fsck --yes --adopt; echo "exit $?"
mem get /b
mem history /b
sed -i.bak 's/"text": "better"/"text": "worse"/' memory/index/b@*.json; rm memory/index/*.bak
mem fsck --repair; echo "exit $?"
mem get /b
grep -c worse memory/quarantine/*

# A file of somebody else, a stale file, a file at another key's place, a link.
echo 'shopping list' > memory/index/list.txt
cp memory/index/a@*.json old.json; mem set /a '{"text":"newer"}' -s chat -q; cp old.json memory/index/a@*.json
cp memory/index/c@*.json memory/index/copy.json
echo secret > outside; ln -s ../../outside memory/index/link.json; ln -s /tmp memory/index/dir
mem fsck; echo "exit $?"
mem fsck --repair; echo "exit $?"
mem fsck; echo "exit $?"
ls memory/index; cat outside
mem get /a

# The whole tree gone.
rm -r memory/index
mem ls -1
mem fsck --repair | tail -n 1
ls memory/index
