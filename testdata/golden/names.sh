# A memory is found by whatever name an answer printed: its key, that without the first slash, a note's id.
export MEM_ROOT=memory
mem set /project/db '{"text":"PostgreSQL 16"}' -s chat -q; mem note 'tabs, not spaces' -q; mem note 'deploys on Tuesday' -q --scope user
mem read
mem get project/db; mem get note/workspace/m-1; mem get m-1; mem get m-2 --jq .key
mem history project/db; mem history m-2 --jq '.memories[].key'
mem rm m-1 project/db; echo "exit $?"
mem get m-1; echo "exit $?"
mem rm m-1; echo "exit $?"
mem history m-1 | cut -f2
mem get m-9; echo "exit $?"
mem get project/db; echo "exit $?"
mem get ../db; echo "exit $?"

# An id is no key without its slash.
mem set /m-2 '"no note"' -s chat -q
mem get m-2; echo "exit $?"
mem rm m-2; echo "exit $?"
mem get /m-2; mem get /note/user/m-2 --jq .content.text

# A write takes it, too.
mem set project/db 1 -s chat; echo "exit $?"
