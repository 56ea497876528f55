# A depot at the other end of a pipe.
ask() { printf "$1" | mem depot "${2-home}"; echo; }
info='{"v":1,"id":"000102030405060708090a0b0c0d0e0f"}'
ask '{"do":"list"}\n'; ask "{\"do\":\"make\",\"size\":${#info}}\n$info"
ask '{"do":"info"}\n{"do":"list"}\n'; ask '{"do":"put","size":3}\nabc{"do":"list"}\n'
ask '{"do":"get","name":"../mem-sync.json"}\n'; ask '{"do":"get","name":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}\n'
find .local/share/mem-depots -type f | sort; ask '{"do":"x"}\n'; ask 'x\n'; ask '{"do":"put","size":3}\na'; echo "exit $?"
mem depot; echo "exit $?"; mem depot ../x; echo "exit $?"
