# postgres: no (it checks the lines of the log)
# needs: sha256sum
# Every checksum can be verified with sed and sha256sum.
export MEM_ROOT=memory
mem set /a '{"text":"<b>&</b> 牙科 \u4e2d"}' -s chat -q
mem set /b '{"checksum":"sha256:0","text":",\"checksum\":\"x\"}"}' -s chat -q
mem set /a null -s chat
mem compact -q
while read -r line; do
  want=$(printf '%s' "$line" | sed 's/.*,"checksum":"sha256:\([^"]*\)"}$/\1/')
  have=$(printf '%s' "$line" | sed 's/,"checksum":"[^"]*"}$/}/' | sha256sum | cut -d ' ' -f 1)
  [ "$want" = "$have" ] && echo ok
done < <(cat memory/log.jsonl memory/state.jsonl)
