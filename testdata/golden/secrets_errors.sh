# An error shows what was wrong with the input, but no secret in it: stderr is kept, too. The token here never was any.
# served: no (it names a file with a secret)
export MEM_ROOT=memory
token=gh''p_$(echo 0123456789abcdefghijklmnopqrstuvwxyz | tr a-m N-Z)
long=lin_api_$(echo 0123456789abcdefghijklmnopqrstuvwxyzabcd | tr a-m N-Z)
line() { printf '%s\n' "$1" | mem set - -s chat; echo "exit $?"; }
line "{\"key\":\"/a\",\"content\":{\"$token\":1,\"$token\":2}}"
line "{\"key\":\"/a\",\"content\":{\"$long\":1,\"$long\":2}}"
line "{\"key\":\"/a\",\"content\":{\"password: hunter2\":1,\"password: hunter2\":2}}"
line "{\"key\":\"$token\",\"content\":1}"
line "{\"key\":\"/a/$token/\",\"content\":1}"
line "{\"key\":\"/a\",\"content\":1,\"ts\":\"$token\"}"
line "{\"key\":\"/a\",\"content\":1,\"source\":{\"kind\":\"$token\"}}"
mem set /a 1 -s chat --allow-secret "$token"; echo "exit $?"
mem set /a --text x -s chat --expires "$token"; echo "exit $?"
mem set /a --text x -s chat --expires "$long"; echo "exit $?"
mem set /a --text x -s chat --importance "$token"; echo "exit $?"
mem set /a --text x -s chat --ttl "$token"; echo "exit $?"
mem set /a 1 -s chat --if-ts "$token" --json; echo "exit $?"
mem set /a 1 -s chat "--$token"; echo "exit $?"
mem set /a "{\"x\":$token}" -s chat; echo "exit $?"
mem set /a -s chat -- "-1$token"; echo "exit $?"
mem set /a 1 --kind web --name x --retrieved-at "$token" --url https://example.com; echo "exit $?"
mem get "/a/$token"; echo "exit $?"
mem search "key:$token"; echo "exit $?"
mem query ".[$token"; echo "exit $?"
mem note x --scope "$token"; echo "exit $?"
mem forget "$token"; echo "exit $?"
mem "$token"; echo "exit $?"
mem import "/no/such/$token"; echo "exit $?"
# What is no secret is shown.
mem get /a/b; echo "exit $?"
mem set /a --text x -s chat --expires tomorrow; echo "exit $?"
