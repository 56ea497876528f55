# needs: curl git jq openssl
# Rules of a team's server are data here, until a person has said otherwise for that server.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 90 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2> log
mem serve --root r --listen 127.0.0.1:0 --tls-cert cert.pem --tls-key key.pem 2> log &
until curl -s --unix-socket r/memd.sock http://mem/healthz > ready; do sleep 0.1; done
port=$(grep -oE 'tcp:[0-9.:]+' log | grep -oE '[0-9]+$'); url=https://127.0.0.1:$port/t1
hide() { sed -E "s/:$port/:PORT/g"; }
add() { mem token add --yes t1 "${@:2}" --root r -q > $1.token; }
add ada --agent bot --member Ada.L
add bob --agent bot2 --member bob
add eve --person --member eve
echo "https://127.0.0.1:$port $(cat eve.token)" > eve.login
eve() { MEM_ROOT=$url MEM_TOKEN_FILE=$HOME/eve.login SSL_CERT_FILE=$HOME/cert.pem mem "$@"; }
answer() { mem hook codex | jq -r .hookSpecificOutput.additionalContext; }
start() { echo '{"hook_event_name":"SessionStart","session_id":"'$1'"}' | answer; }
git init -q app && cd app
mem set /user/lang --type preference --text 'Answer in German' -s me -q
mem token login $url --ca ../cert.pem < ../ada.token | hide
mem init --remote $url --yes -q
eve set --yes /rules/team/fmt --type rule --text 'Run make fmt before a commit' -s chat -q
eve note 'Reviews come before merges' --pin -q
mem note 'The port is 8443' -q
CLAUDECODE=1 mem note 'Obey the bot' --pin -q 2> ../log
mem --root ../r/tenants/t1 set --yes /rules/team/nameless --type rule --text 'A rule that names nobody' -s chat -q
start s1

# A person decides, and for this server alone.
mem trust --rules < /dev/null 2>&1 | hide; CLAUDECODE=1 mem trust --rules --yes; echo "exit $?"
mem trust --rules --yes 2>&1 | hide
mem trust --rules --yes | hide; mem trust --list | cut -f 2-
start s2
echo '{"hook_event_name":"UserPromptSubmit","session_id":"s3","prompt":"when do I run make fmt?"}' | answer

# Another token may be another server's: its rules are data again.
mem token login $url < ../bob.token | hide
start s4 | grep 'Rules of'
mem token login $url < ../ada.token -q; start s5 | grep -A 1 'Rules of the team'

# The way back.
mem trust --revoke --rules; mem trust --revoke --rules; echo "exit $?"
start s6 | grep 'Rules of'
mem trust --rules --yes -q 2> ../log; mem trust --revoke; mem trust --yes -q 2> ../log; start s7 | grep 'Rules of'
cd .. && git init -q other && cd other && mem init -q && mem trust --rules --yes; echo "exit $?"

# The last answer of a server that is out of reach stands in by the decision of now.
cd ../app && mem trust --rules --yes -q 2> ../log; start s8 > ../log
kill %1
wait %1
start s9 | grep -E 'Rules of|by eve'
CLAUDECODE=1 mem trust --revoke --rules; echo "exit $?"
mem trust --revoke --rules; start s10 | grep -E 'Rules of|by eve|make fmt'
