# Wrong input to the verbs of sessions: one line, the exit code, and nothing written.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z USER=ada LOGNAME=ada
run() { mem "$@"; echo "exit $?"; }
run session create --id 'a b'
run session create --id ''
run session create --config '{"decay_config":{"half_live_hours":1}}'
run session create --config '{"decay_config":{"half_life_hours":-1}}'
run session create --config '[1]'
run session nosuch
run session show nosuch
run session show ../x
run session close nosuch
run session delete nosuch
run session delete nosuch --purge --yes
run remember nosuch x --type finding
ls memory 2>&1 # files
S=$(mem session create)
run remember $S
run remember "the port is 5432"
run remember $S x
run remember $S x --type fact
run remember $S '  ' --type finding
run remember $S x --type finding --rationale y
run remember $S x --type finding --importance 1.5
run remember $S x --type finding --importance NaN
run remember $S x --type finding --tag 'a b'
run remember $S x --type finding --tag "$(printf '%065d' 0)"
run remember $S x --type finding --references 'a b'
run remember $S x --type finding --at soon
run remember $S @nosuch --type finding
run remember $S 'the password: hunter2' --type finding
head -c 1000001 /dev/zero | tr '\0' x | mem remember $S - --type finding; echo "exit $?"
run remember $S x --type finding --source ''
run get $S mem_1
run get $S mem_01KJ2CNA800SSZ2A29SH5THR5A
run forget $S mem_01KJ2CNA800SSZ2A29SH5THR5A
run session rebuild nosuch
run session compact nosuch
run session stats nosuch
run migrate x
mem session stats $S; mem fsck

# What a person types at first, and what is told then.
run session create foo
run session create --id review-7
run session close
run session show
S=$(mem session create)
run remember $S x --type finding --tag ''
run remember $S x --type finding --role ''
run remember $S x --type finding --role $'a\nb'
run get nope mem_01KJ2CNA800SSZ2A29SH5THR5A
run search x --session nope
run search x --session $S
run read --session 2026-02-22-abc
run session export --prefix nope
mem remember $S x --type finding -q >/dev/null
run session rebuild $S
run session compact $S --json
cp -r memory broken; sed -i '/"finding":"x"/s/"valid":true/"valid":tru/' broken/log.jsonl # files
run --root broken session rebuild $S # files
run --root broken session rebuild $S --json; rm -r broken # files
