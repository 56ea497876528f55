# needs: jq
# A7, public channel suppression: the public hears what is labelled public, and no trace of the rest.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
add() { mem event --session s1 --channel $1 --sensitivity $2 --text "the launch of $1 $2" --jq .event_id; }
n=10; for c in private team agent public; do for l in none low secret; do
  n=$((n + 1)); MEM_NOW=2026-02-22T09:00:${n}Z add $c $l > /dev/null
done; done
e=$(add public none)
mem set /user/preference/tone '{"type":"preference","text":"launch tone: short"}' -s x -q > /dev/null
mem set /user/preference/shown '{"type":"preference","channel":"public","text":"launch tone: shown"}' -s x -q > /dev/null
mem note 'launch code names are birds' -q; MEM_AGENT=bob mem core 'I fear the launch' -q > /dev/null
mem set /agent/ada/identity '{"text":"You are Ada."}' -s x -q > /dev/null
mem set --yes /rules/project/a '{"text":"launch only on Tuesdays"}' -s x -q > /dev/null
mem set --yes /rules/org/b '{"channel":"public","text":"launch with joy"}' -s x -q > /dev/null
mem decide 'launch in May (private)' --ref $e -q > /dev/null; mem decide 'launch in June' --channel public --ref $e -q > /dev/null
for c in public team agent private; do
  echo "$c:"; mem bundle --session s2 --agent ada --channel $c --query 'when is the launch?' --jq '.provenance.candidate_pool_size, .provenance.filters.sensitivity_allowed, (.sections[] | .name + ": " + .items[].text)'
done
mem bundle --session s2 --agent ada --channel all; echo "exit $?"
