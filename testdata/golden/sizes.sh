# Limits in bytes: at the limit is stored, one byte more is refused by name.
# served: no (it gives more than 16 MiB)
export MEM_ROOT=memory
text() { printf '"'; head -c $(($1 - 2)) /dev/zero | tr '\0' x; printf '"'; }
text 1048576 | mem set /content - -s chat; echo "exit $?"
text 1048577 | mem set /content/over - -s chat; echo "exit $?"
text 65536 > source; mem set /source 1 -s @source -q; echo "exit $?"
text 65537 > source; mem set /source/over 1 -s @source; echo "exit $?"
(printf '{"key":"/line","source":"chat","content":'; text 1048577; printf '}\n') | mem set -; echo "exit $?"
(printf '{"key":"/line","source":"chat","content":1'; head -c 2097110 /dev/zero | tr '\0' ' '; printf '}') > line; wc -c < line
mem set - < line; echo "exit $?"
mem ls -1

# What has no end is read to its limit, and little memory is taken for it.
bounded() { (ulimit -v 1500000; "$@"; echo "exit $?"); }
bounded mem set /endless - -s chat < /dev/zero
bounded mem set /endless @/dev/zero -s chat
bounded mem set /endless 1 -s @/dev/zero
bounded mem note - < /dev/zero
bounded mem set - -s chat < /dev/zero
bounded mem import - < /dev/zero
head -c 600 /dev/zero | tr '\0' x | mem note -; echo "exit $?"
