# Forgetting a note.
export MEM_ROOT=memory
mem forget m-1; echo "exit $?"
ls
mem note 'User prefers tabs over spaces' -q
mem note 'User lives in Oslo' -q
mem forget m-1; echo "exit $?"
mem forget m-1; echo "exit $?"
mem forget m-1 --json; echo "exit $?"
mem notes
mem history /note/workspace/m-1
grep -c 'tabs over spaces' memory/log.jsonl # files

# Ids have one spelling.
for id in 2 M-2 m-02 m- note/workspace/m-02; do mem forget $id; echo "exit $?"; done
mem forget m-2 --source 'the user said so' -q
mem history /note/workspace/m-2
mem forget; echo "exit $?"
mem note 'User lives in Bergen'
mem __complete forget m 2>/dev/null

# Its key will do, as a page shows it; the key of something else will not.
mem note 'User lives in Trondheim' -q
mem forget note/workspace/m-4; echo "exit $?"
mem forget note/workspace/style; echo "exit $?"
