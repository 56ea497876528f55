# needs: jq
# A6, multi-agent handoff: the next agent gets what was left for it, and nobody else.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
e=$(mem event --session s1 --text 'long story of the migration' --jq .event_id)
mem handoff --session s1 --agent ada --to bob --ref $e 'Schema is migrated; the seed data is not. Start at seeds/002.sql.'
packet() { mem bundle --session $1 --agent $2 --jq '.sections[] | select(.name == "handoff_packet").items[] | [.text, .refs[1]]' | sed "s/$e/E/"; }
echo "bob:"; packet s1 bob; echo "eve:"; packet s1 eve; echo "bob, elsewhere:"; packet s2 bob
# The next one takes its place; one that is too long is cut to 6,000 tokens and those that the sections before it left.
mem handoff --session s1 --agent ada --to bob 'The seed data is in. Only the tests are left.'; packet s1 bob
seq 20000 | mem handoff --session s1 --to bob - -q; mem bundle --session s1 --agent bob --jq '.sections[] | select(.name == "handoff_packet") | .token_est <= 20200, .token_est > 20000, .items[0].text[-1:]'
# It is in no default read, search or hook; below its prefix it is.
mem read; mem search seed; mem ls; mem ls /handoff | cut -f 1,2; mem search --prefix /handoff 20000 | cut -f 1
mem handoff --session s1 'no one'; echo "exit $?"; mem handoff --session s/1 --to bob x; echo "exit $?"; mem handoff --session s1 --to ../bob x; echo "exit $?"
