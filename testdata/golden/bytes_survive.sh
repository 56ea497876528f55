# needs: jq
# Numbers, escapes and the order of members survive byte for byte; only insignificant white space goes.
export MEM_ROOT=memory
cat > in.json <<'EOF'
{ "z": 1.50, "a": 1e400, "big": 123456789012345678901234567890, "neg": -0.0, "exp": 1E+2,
  "html": "<b>&amp;</b>", "esc": "\u4e2d\/\n\t\"\\", "raw": "中 🦷 é", "sep": "\u2028", "pair": "\ud83e\uddb7", "": null, "nest": [ [ ], { } ] }
EOF
mem set /bytes @in.json -s '{"n": 1.0, "x": "\u0041<&>"}' -q
mem get /bytes
mem get /bytes | cmp - <(tr -d '\n' < in.json | sed 's/^{ /{/; s/ }$/}/; s/: /:/g; s/,  */,/g; s/\[ \[ \]/[[]/; s/{ } \]/{}]/'; echo) && echo 'the same'
mem get /bytes --envelope | grep -o '"source":{[^}]*}'
mem compact -q
grep -c '"z":1.50,"a":1e400,"big":123456789012345678901234567890,"neg":-0.0,"exp":1E+2' memory/log.jsonl memory/state.jsonl
mem get /bytes | mem set /copy - -s chat -q
cmp <(mem get /bytes) <(mem get /copy) && echo 'a copy is the same'
grep -o '"raw": "[^"]*"' memory/index/bytes@*.json
mem fsck
