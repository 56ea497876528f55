# Content that is no JSON, each with its reason; nothing is stored.
# served: no (it reads a directory as a file)
export MEM_ROOT=memory
for json in '' ' ' hello 'hello world' "it's" NaN nul True 01 1. .5 +1 '{' '{"a":1' '{"a":1}}' '{"a":1,}' '{a:1}' "{'a':1}" '[1,]' '"open' '{"a":1,"a":2}' '{"a":{"b":1,"b":2}}' '"\ud800"' '"\x41"' $'"a\tb"' $'"\xff"' '1 2' '// comment'; do mem set /k "$json" -s chat; done; echo "exit $?"
mem set /k "$(printf '[%.0s' $(seq 129))$(printf ']%.0s' $(seq 129))" -s chat; echo "exit $?"
mem set /deep "$(printf '[%.0s' $(seq 100))$(printf "]%.0s" $(seq 100))" -s chat -q; echo "exit $?"

# The same from files and from standard input.
mem set /k @missing.json -s chat; echo "exit $?"
mem set /k @ -s chat; echo "exit $?"
mem set /k @. -s chat; echo "exit $?"
mem set /k - -s chat < /dev/null; echo "exit $?"
printf '\xff\xfe{\x00}\x00' > utf16.json; mem set /k @utf16.json -s chat; echo "exit $?"
printf '\xff\xfe{\x00}\x00' | mem set -; echo "exit $?"
echo 'plain words' | mem set /k - -s chat; echo "exit $?"
mem ls -1
