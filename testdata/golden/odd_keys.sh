# Keys that show as others do: no new memory gets one. What earlier builds stored stays within reach.
export MEM_ROOT=memory
for key in $'/kb\u200b/x' '/ kb/x' '/kb /x' '/trailing ' $'/soft\u00adly' $'/☕\ufe0f\ufe0f' $'/葛\U000e0100'; do mem set "$key" 1 -s chat; done; echo "exit $?"
printf '{"key":"/kb\\u2060/x","content":1}\n' | mem set - -s chat; echo "exit $?"
mem set $'/می\u200cخواهم/👩\u200d💻/☕\ufe0f/a b' 1 -s chat -q; echo "exit $?"

# An import of envelopes is not asked. Such keys are shown as JSON strings, and taken back as that.
cat > old.jsonl <<'EOF'
{"key":"/kb\u200b/x","ts":"2026-02-01T00:00:00Z","content":{"text":"no provenance was due"},"source":"chat"}
{"key":"/ kb/x","ts":"2026-02-01T00:00:00Z","content":{"text":"nor here"},"source":"chat"}
{"key":"/both ends ","ts":"2026-02-01T00:00:00Z","content":{"text":"a blank behind"},"source":"chat"}
EOF
mem set - < old.jsonl
mem ls
mem read
mem search provenance
mem get '"/kb\u200b/x"'; mem get $'/kb\u200b/x'
mem history '"/\u0020kb/x"'; mem ls -1 '"/\u0020kb"'
mem set '"/kb\u200b/x"' '{"text":"replaced"}' -s chat -q; mem get '"/kb\u200b/x"'
mem rm '"/kb\u200b/x"' '/ kb/x' '/both ends '; echo "exit $?"
mem get '"/kb\u200b/x"'; echo "exit $?"
mem set '"/kb\u200b/x"' 1 -s chat; echo "exit $?"
mem get '"/kb'; echo "exit $?"
mem ls -1
