# needs: jq
# A3, decision supersession: one decision holds, and what it replaced can be followed.
export MEM_ROOT=memory
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
export MEM_NOW=2026-02-20T10:00:00Z
e1=$(mem event --session s1 --text 'we have one server' --jq .event_id)
d1=$(mem decide 'Deploy by hand with rsync' --ref $e1)
export MEM_NOW=2026-02-21T10:00:00Z
e2=$(mem event --session s1 --text 'we have four servers now' --jq .event_id)
d2=$(mem decide 'Deploy with Ansible' --supersedes $d1 --ref $e2 --ref $d1)
export MEM_NOW=2026-02-22T10:00:00Z
for q in '' 'how do we deploy with rsync?'; do
  mem bundle --session s1 --agent ada --query "$q" --jq '.sections[] | select(.name == "decision_ledger").items[] | [.decision_id, .text]' | sed "s/$d1/D1/; s/$d2/D2/"
done
mem get $d1 --jq '.content | [.decision, .status, .superseded_by]' | sed "s/$d2/D2/"
mem get $d2 --jq '.content | [.decision, .status, .supersedes, .refs]' | sed "s/$d1/D1/g; s/$e2/E2/"
mem history $d1 | cut -f 1,3 | ids
# It is superseded once, and by what rests on something.
mem decide 'Deploy with Nomad' --supersedes $d1 --ref $e2 2>&1 | ids; echo "exit ${PIPESTATUS[0]}"
mem decide 'Deploy with Nomad' --supersedes $d2 | ids; echo "exit ${PIPESTATUS[0]}"
mem decide 'Deploy with Nomad' --ref evt_01KJ2KH5D04XNZEQFPHTQVBEWQ; echo "exit $?"
mem decide 'Deploy with Nomad' --ref $e2 --supersedes dec_01KJ2KH5D04XNZEQFPHTQVBEWQ; echo "exit $?"
