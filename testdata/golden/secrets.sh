# needs: jq
# No secret is stored: a write is refused with the rule and the place, never with the secret. The tokens here never were any.
export MEM_ROOT=memory
token=gh''p_$(echo 0123456789abcdefghijklmnopqrstuvwxyz | tr a-m N-Z)
hidden=$(echo "$token" | sed 's/_/\\u005f/')
mem set /deploy "{\"type\":\"note\",\"text\":\"deploy with $token\"}" -s chat; echo "exit $?"
mem set /deploy "{\"steps\":[\"log in\",{\"with\":\"$hidden\"}]}" -s chat; echo "exit $?"
mem set /deploy "{\"$token\":{\"scope\":\"$token\"}}" -s chat; echo "exit $?"
mem set "/deploy/$token" 1 -s chat; echo "exit $?"
mem set /deploy 1 --kind web --name x --url "https://example.com/?t=$token"; echo "exit $?"
mem set /deploy "{\"api_key\":\"$(printf %s "$token" | cut -c 5-30)\"}" -s chat; echo "exit $?"
mem set /deploy --text "password: hunter2" -s chat; echo "exit $?"
mem set /kb/deploy "\"$token\"" -s chat --on-untrusted=quarantine; echo "exit $?"
mem set /deploy "\"$token\"" -s chat --json; echo "exit $?"
ls memory # files

# Notes are answered in words of their own, and a marker is enough.
mem set /note/user/m-1 --text "the token: swordfish" -s chat; echo "exit $?"

# A batch names the line and writes nothing.
cat > batch <<EOF
{"key":"/a","content":"task-list, risk-free"}
{"key":"/b","content":{"text":"ask with $token"}}
EOF
mem set - -s import < batch; echo "exit $?"
mem set - -s import --keep-going < batch; echo "exit $?"

# What memories are full of passes.
mem set /c --text 'commit 3f786850e387550fdab836ed7e6dc881de23001b, sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' -s chat -q; echo "exit $?"
mem set /d --text 'The key differences: authentication, authorization, access token. 密码：放在保险库里' -s chat -q; echo "exit $?"
mem set /f '{"task":"550e8400-e29b-41d4-a716-446655440000"}' -s chat -q; echo "exit $?"

# One rule may be wrong about one write. The journal keeps that it was overruled.
mem set /g "{\"text\":\"example: $token\"}" -s chat --allow-secret slack-bot-token; echo "exit $?"
mem set /g "{\"text\":\"example: $token\"}" -s chat --allow-secret github-pat; echo "exit $?"
mem set /g 1 -s chat --allow-secret no-such-rule; echo "exit $?"
mem set - -s import --allow-secret github-pat < batch; echo "exit $?"
jq -c '[.op,.key,.allowed]' memory/ops.jsonl # files
grep -c "$token" memory/ops.jsonl; echo "exit $?" # files
