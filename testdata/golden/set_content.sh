# needs: jq
# served: no (it gives more than 16 MiB)
# The ways to give content to mem set.
export MEM_ROOT=memory
mem set /inline '{"text":"inline"}' -s chat
echo '{"text":"from a pipe"}' | mem set /pipe - -s chat
echo '{"text":"from a file"}' > content.json
mem set /file @content.json -s chat
mem set /flags --text 'Ada likes "quotes" & <tags>' --summary 'one line' --type fact --tag a,b --tag c --importance 0.7 --ttl 30d -s chat
mem set /expires --text 'until noon' --expires 2026-02-22T12:00:00+08:00 -s chat
for key in /inline /pipe /file /flags /expires; do mem get $key; done

# Every JSON value is content; only null voids.
for json in '{}' '[]' '""' 0 false true '"text"'; do mem set "/value" "$json" -s chat -q; mem get /value; done
mem set -s chat -q -- /value -1.5e3; mem get /value
mem set /value null -s chat; echo "exit $?"
mem get /value; echo "exit $?"

# The path on stdout is for other programs.
path=$(mem set /path '{"n":1}' -s chat); echo "$path"
cat "$path" | jq -c .content # files
mem set /path '{"n":2}' -s chat --json
mem set /path '{"n":3}' -s chat --jq .ts
mem set /path null -s chat --json

# A file with a byte order mark or carriage returns is read as it is meant.
printf '\xef\xbb\xbf{"text":\r\n"bom"}\r\n' > bom.json
mem set /bom @bom.json -s chat -q && mem get /bom

# A whole 1 is the most of 0..1, whatever the others have: it is stored, with a warning.
mem set /scale/least --text least --importance 1 -s chat; echo "exit $?"
mem set /scale/most --text most --importance 1.0 -s chat -q; mem set /scale/nine --text nine --importance 9 -s chat -q
