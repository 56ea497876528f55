# needs: jq
# A4, summary drift guard: what happened outranks what a summary made of it.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
e1=$(MEM_NOW=2026-02-22T09:00:01Z mem event --session s1 --text 'The staging database listens on port 5433, not 5432.' --jq .event_id)
e2=$(MEM_NOW=2026-02-22T09:00:02Z mem event --session s1 --text 'Only the nightly job may write to staging.' --jq .event_id)
s=$(MEM_NOW=2026-02-22T09:00:03Z mem event --session s1 --kind message --actor agent:summarizer --tag summary --ref $e1 --ref $e2 --text 'Summary: the staging database port is 5432 and anybody may write to staging.' --jq .event_id)
evidence() { mem bundle --session $1 --agent ada --query 'which port has the staging database?' "${@:2}" --jq '.sections[] | select(.name == "retrieved_evidence").items[] | [.text, .refs[1]]' | sed "s/$e1/E1/; s/$e2/E2/; s/$s/S/"; }
# Another agent's session is shared where the memory's settings say so.
mem config set bundle.share_sessions true --yes -q; evidence other
# Where none of the originals fits, or all are gone, the summary stands.
mem forget --purge --yes /event/s1/$e1 /event/s1/$e2 --reason test -q; evidence other
