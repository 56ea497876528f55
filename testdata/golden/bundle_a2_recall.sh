# needs: jq
# A2, old decision recall: a decision of a year ago is found among all that happened since.
export MEM_ROOT=memory
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
export MEM_NOW=2025-02-01T09:00:00Z
e=$(mem event --session old --text 'Ada: tests were flaky with SQLite locks' --jq .event_id)
mem decide 'Integration tests run on PostgreSQL, never on SQLite' --ref $e --rationale 'SQLite locks made them flaky' | ids
export MEM_NOW=2026-02-20T09:00:00Z
seq 400 | jq -c '{session_id: ("s" + (. % 20 | tostring)), kind: "message", actor: {type: "human", id: "user"}, content: {text: "step \(.) of the release notes is done"}}' | mem event - | wc -l
for i in $(seq 30); do mem decide "Release note $i is in English" --ref $e; done | wc -l
export MEM_NOW=2026-02-22T10:00:00Z
mem bundle --session new --agent ada --query 'which database do integration tests use?' > acb.json
jq -r '.sections[] | select(.name == "decision_ledger").items[0] | .text, (.refs | length)' acb.json
jq -r '.sections[] | select(.name == "retrieved_evidence").items[0].text' acb.json
