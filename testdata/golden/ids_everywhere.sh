# Every verb takes a memory by its id or its key, with or without the first slash, as blocks and lists print them.
export MEM_ROOT=memory
mem note 'tabs, not spaces' -q; mem note 'spaces, not tabs' -q; mem note 'deploys on Tuesday' -q
mem set project/db --text 'PostgreSQL 16' -s chat; mem set port --text 3307 -s chat -q; mem set 'project/two words' 1 -s chat -q
mem set kb/go '{"text":"1.26"}' -s web --on-untrusted quarantine -q
mem ls -1

# Read.
mem get project/db; mem get port; mem get m-1; mem get note/workspace/m-1; mem get 'project/two words'
mem history project/db | cut -f 2-; mem history m-1 | cut -f 2,4
mem log project | cut -f 2; mem ls -1 project; mem ls -1 project/; mem query .key --prefix project; mem read --prefix project; mem search spaces --prefix note | cut -f 1
mem export --prefix project --format jsonl | jq -r .key
mem set project/next '{"text":"more","references":["/note/workspace/m-1"]}' -s chat -q
mem search --references project/next | cut -f 1

# Change.
mem touch m-1 --importance 8 -q && mem get m-1
mem touch project/db --tag infra -q && mem get project/db
VISUAL="sed -i s,16,17," mem edit project/db -q && mem get project/db
mem supersede m-1 m-2 -q && mem get m-1 2>&1 | tail -n 1
mem supersede port project/db -q; mem undo port -q && mem get port
mem undo m-1 -q; mem diff project/db | head -n 1
mem mv port project/port; mem mv project/port port
mem merge m-3 port --into project/all -q; mem get project/all
mem approve --yes kb/go -q; mem get kb/go; mem set kb/rust 1 -s web --on-untrusted quarantine -q; mem reject --yes kb/rust; mem ls -1 untrusted

# Delete.
mem rm project/db 'project/two words'; mem forget project/next; echo "exit $?"
mem forget m-1; mem forget note/workspace/m-2 --reason 'it is Wednesday'
mem forget project/all --purge --yes -q; mem ls -1
mem forget port; echo "exit $?"
mem forget m-9; echo "exit $?"

# An id is nobody's key, and what was hardly meant as a key is not taken for one.
mem set m-4 1 -s chat; echo "exit $?"
mem set mem_01KJ2N4XK0W4E5V7QD3M8R9T0A 1 -s chat; echo "exit $?"
mem set '{"text":"the key was forgotten"}' --text x -s chat; echo "exit $?"
mem set 'The port is 3307' --text x -s chat; echo "exit $?"
mem mv kb/go m-1; echo "exit $?"
mem ls m-1; echo "exit $?"
mem set ../up 1 -s chat; echo "exit $?"
