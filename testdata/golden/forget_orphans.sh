# Of many that go, those are named that something was superseded by.
export MEM_ROOT=memory
for n in $(seq 60); do echo "{\"key\":\"/many/n$n\",\"content\":\"$n\",\"source\":\"chat\"}"; done | mem import - -q
mem set /old/a '{"text":"a","superseded_by":"/many/n7"}' -s chat -q; mem compact -q; mem set /old/b '{"text":"b","superseded_by":"/many/n59"}' -s chat -q
mem set /old/c '{"text":"c","superseded_by":"/else"}' -s chat -q; mem set /else 1 -s chat -q
mem forget --prefix /many --yes
mem forget --prefix /old --yes
