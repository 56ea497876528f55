# needs: curl
# Memories over HTTP: on a socket of one's own, and over TCP with a token.
mem serve --root r --listen 127.0.0.1:0 2> log &
until curl -s --unix-socket r/memd.sock http://mem/healthz; do sleep 0.1; done
ask() { curl -s --unix-socket r/memd.sock -w '%{http_code}\n' "http://mem/api/v1$1" "${@:2}"; }
ask /events -d '{"tenant_id":"t1","session_id":"s1","kind":"message","actor":{"type":"human","id":"u"},"content":{"text":"this project is for dentists"}}' | sed -E 's/_[0-9A-Z]{26,}/_ID/g'
ask /acb/build -d '{"tenant_id":"t1","session_id":"s1","agent_id":"ada","query_text":"what is the project for"}' | sed -E 's/_[0-9A-Z]{26,}/_ID/g'
ask /memories/user/style -X PUT -d '{"tenant_id":"t1","content":{"text":"tabs"},"source":"chat","if_absent":true}'
ask /memories/user/style -X PUT -d '{"tenant_id":"t1","content":{"text":"spaces"},"source":"chat","if_absent":true}'
ask '/memories/search?tenant_id=t1&q=tabs'
ask '/memories?tenant_id=t2'
ask /memories
ask /nonsense

# The command line works on the same memory.
mem --root r/tenants/t1 get /user/style

# Over TCP nobody comes in without a token.
address=$(grep -oE 'tcp:[0-9.:]+' log | cut -c 5-)
curl -s -w '%{http_code}\n' http://$address/api/v1/memories
token=$(mem token add --yes t1 --agent ada --root r -q)
curl -s -H "Authorization: Bearer $token" http://$address/api/v1/memories/user/style
curl -s -H "Authorization: Bearer $token" "http://$address/api/v1/memories?tenant_id=t2"
curl -s -H "Authorization: Bearer $token" -H 'Host: evil.example' http://$address/api/v1/memories
curl -s -H "Authorization: Bearer $token" -H 'Origin: https://evil.example' http://$address/api/v1/memories

# It ends when it is told to, and takes its socket out.
kill %1
wait %1; echo "exit $?"
ls r r/tenants
