# What mem get prints.
export MEM_ROOT=memory
mem set /user/name '{"text":"Ada", "age": 36.50}' -s chat -q
mem get /user/name
mem get //user///name/
mem get /user/name --envelope
mem get /user/name --json | cmp - <(mem get /user/name --envelope) && echo 'the same'
mem get /user/name --jq .content.text
mem get /user/name --jq '.content | keys'
mem get /user/name -q

# A prefix is no key, and letters count as they are written.
mem get /user; echo "exit $?"
mem get /User/name; echo "exit $?"
mem get /user/name /user; echo "exit $?"
mem get; echo "exit $?"
mem get /user/nobody --json; echo "exit $?"
mem get /user/nobody || mem get /user/name

# A key that is nearly right, one of several, and one that was deleted: a terminal gets more advice.
mem set /project/db 1 -s chat -q; mem set /k/1 1 -s chat -q; mem set /k/2 2 -s chat -q
mem get projct/db; mem get /k/3
mem rm /project/db -q; mem get /project/db; mem edit /project/db; mem undo /project/db -q; mem get /project/db
