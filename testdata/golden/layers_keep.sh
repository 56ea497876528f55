# Verbs of maintenance take each store in turn, one line each, and end with the worst exit.
# needs: git
hide() { sed -E 's/-[0-9a-f]{8}/-01234567/'; }
git init -q app && git init -q web
(cd app && mem set /a 1 -s chat -q && mem set /user/a 1 -s chat -q); (cd web && mem set /w 1 -s chat -q)
cd app
mem compact; mem fsck; mem audit
mem stat | grep -E '^(layer|live)'; mem stat --jq '[.layer,.live]'
mem fsck --json --jq '[.layer,.records]'
mem doctor | grep -E 'root|log|unfiled' | hide
mem compact --all | hide; mem fsck --all | hide; mem stat --all --json --jq '[.layer,.live]' | hide
mem compact --all --if-needed --quiet; echo "exit $?"
echo '{"key":"/note/workspace/m-1"' >> ~/.local/share/mem/log.jsonl
mem fsck >/dev/null; echo "exit $?"; mem fsck --layer project; echo "exit $?"; mem fsck --repair | hide; echo "exit $?"
mem fsck --all --root x; echo "exit $?"

# One at a time: the project's, unless --layer says otherwise.
mem export | cut -c 1-20; mem export --layer user | cut -c 1-20
echo '{"key":"/imported","content":1,"source":"x"}' | mem import -; mem ls -l /imported
mem set /kb/x 1 --kind web --on-untrusted quarantine -q; mem ls -l /untrusted; mem reject --yes /kb/x | hide
mem set /kb/x 1 --kind web --on-untrusted quarantine -q --layer user
mem approve --yes /kb/x; echo "exit $?"; mem approve --yes /kb/x --layer user

# What a hook told is recorded in the user's store; config.json there rules what is told.
echo '{"hook_event_name":"SessionStart","session_id":"s"}' | mem hook codex | grep -c 'Facts noted'
ls ~/.local/share/mem/injections.jsonl; ls ~/.local/share/mem-projects/*/injections.jsonl 2>/dev/null; echo "exit $?"
mem injections --jq '.injections[].memories[] | [.key,.layer]'
echo '{"memory":{"inject_mode":"off"}}' > ~/.local/share/mem/config.json
echo '{"hook_event_name":"SessionStart","session_id":"t"}' | mem hook codex; echo "exit $?"
echo '{"knowledge":["/docs"]}' > "$(echo ~/.local/share/mem-projects/app-*)"/config.json
mem set /docs/x 1 -s chat; echo "exit $?"; mem set /docs/x 1 -s chat --layer user -q; echo "exit $?"

# A proposal says in which layer it asks for a rule: the user's own key may hold one already.
mem set /user/style '{"type":"preference","text":"tabs"}' -s chat -q
CLAUDECODE=1 mem set /user/style '{"type":"preference","text":"spaces"}' -s chat --propose --layer project -q
CLAUDECODE=1 mem set /user/style '{"type":"preference","text":"two spaces"}' -s chat --propose -q
mem approve 2>&1 | sed -E 's/(approve|reject) p-[0-9a-z]{8}/\1 p-ID/g' | sed -E 's/^p-[0-9a-z]{8}/p-ID/'
mem approve p-unknown --yes; echo "exit $?"

# An undo of the approval brings back the proposal, and it can be approved again.
id=$(mem approve -q | grep -o '^p-[0-9a-z]*' | tail -n 1)
mem approve $id --yes -q --now 2026-02-23T10:00:00Z && mem undo --last && mem approve $id --yes -q && mem get /user/style
