# needs: jq
# Numbers and the order of members survive byte for byte. Insignificant white space goes, and so do the \u escapes of what can be read: grep finds the word, whatever program wrote it.
export MEM_ROOT=memory
cat > in.json <<'EOF'
{ "z": 1.50, "a": 1e400, "big": 123456789012345678901234567890, "neg": -0.0, "exp": 1E+2,
  "html": "<b>&amp;</b>", "esc": "\/\n\t\"\\\u0022\u001b", "raw": "中 🦷 é", "sep": "\u2028\u200b", "": null, "nest": [ [ ], { } ] }
EOF
mem set /bytes @in.json -s '{"n": 1.0, "x": "\u0041<&>"}' -q
mem get /bytes
mem get /bytes | cmp - <(tr -d '\n' < in.json | sed 's/^{ /{/; s/ }$/}/; s/: /:/g; s/,  */,/g; s/\[ \[ \]/[[]/; s/{ } \]/{}]/'; echo) && echo 'the same'
mem get /bytes --envelope | grep -o '"source":{[^}]*}'
mem set /python '{"\u4e2d":"\u7259\u79d1 \ud83e\uddb7"}' -s chat -q; mem get /python
grep -c '{"中":"牙科 🦷"}' memory/log.jsonl # files
mem compact -q
grep -c '"z":1.50,"a":1e400,"big":123456789012345678901234567890,"neg":-0.0,"exp":1E+2' memory/log.jsonl memory/state.jsonl # files
mem get /bytes | mem set /copy - -s chat -q
cmp <(mem get /bytes) <(mem get /copy) && echo 'a copy is the same'
grep -o '"raw": "[^"]*"' memory/index/bytes@*.json # files
mem fsck
