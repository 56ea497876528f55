# postgres: no (it edits files of the index)
# What a person does to the files of index/: edit, add, remove. Answers come from the log until it is adopted.
export MEM_ROOT=memory
mem set /a '{"text":"a"}' -s chat -q
mem set /b '{"text":"b"}' -s chat -q

# Edited.
f=$(ls memory/index/a@*.json); sed -i.bak 's/"text": "a"/"text": "edited"/' $f; rm memory/index/*.bak
mem get /a
mem fsck; echo "exit $?"
mem fsck --yes --adopt; echo "exit $?"
mem get /a

# Added, under a name of the person's own, with and without a key.
echo '{"content":{"text":"by hand"}}' > memory/index/plan.json
echo '{"key":"/user/name","content":"Ada"}' > memory/index/name.txt
mem fsck; echo "exit $?"
mem fsck --yes --adopt | grep adopted
mem ls; mem fsck; echo "exit $?"

# Removed: it comes back, unless the file is named.
rm memory/index/b@*.json
mem get /b
mem fsck --yes --adopt; echo "exit $?"
mem fsck --yes --adopt memory/index/b@9812b0.json; echo "exit $?"
mem get /b; echo "exit $?"
mem fsck; echo "exit $?"

# Replaced by a write or a compaction: the edit is in quarantine/, and can be taken in from there.
sed -i.bak 's/"text": "edited"/"text": "once more"/' $f; rm memory/index/*.bak
mem set /a '{"text":"newer"}' -s chat -q
q=$(grep -l 'once more' memory/quarantine/*); mem fsck --yes --adopt "$q"
mem get /a
sed -i.bak 's/"once more"/"twice"/' $f; rm memory/index/*.bak
mem compact
mem get /a; mem fsck
cp $f older.json; mem set /a '{"text":"last"}' -s chat -q; cp older.json $f
mem compact; jq -c .content $f

# No edit.
mem fsck --yes --adopt nothing.json; echo "exit $?"
mem fsck --yes --adopt memory/README.md; echo "exit $?"
mem fsck nothing.json; echo "exit $?"
