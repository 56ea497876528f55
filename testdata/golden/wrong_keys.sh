# Keys that are refused, each with its reason; nothing is stored.
export MEM_ROOT=memory
for key in '' / /// /a/.. /../a /a/./b . $'/a\nb' $'/a\tb' $'/a\x7fb' $'/a\xc2\x85b' $'/a\xff' $'/a\xed\xa0\x80' $'/a\u2028b' $'/a\u202eb'; do mem set "$key" 1 -s chat; done; echo "exit $?"
mem set m-4 1 -s chat; echo "exit $?"
mem set 'C:\memory' 1 -s chat; echo "exit $?"
mem set "user's name" 1 -s chat; echo "exit $?"
mem set "/$(printf 'k%.0s' $(seq 1024))" 1 -s chat; echo "exit $?"
mem set "/$(printf 'k%.0s' $(seq 1023))" 1 -s chat -q; echo "exit $?"
mem get user/name; echo "exit $?"
mem ls m-4; echo "exit $?"
mem rm /a/..; echo "exit $?"
mem history ../etc/passwd; echo "exit $?"
mem query . --prefix ..; echo "exit $?"
mem ls | wc -l
