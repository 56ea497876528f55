# needs: jq
# What is of sensitivity high is sealed with a key, by the memd beside this mem; without one it is not stored.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
mem event --session s1 --sensitivity high --text 'the launch code'; echo "exit $?"
mem key new ~/key; mem key new ~/key; echo "exit $?"
export MEM_AGE_IDENTITY=~/key
mem event --session s1 --sensitivity high --text 'the launch code' --jq '.chunk_ids | length'
e=$(mem ls --keys /event); mem get $e --jq '.content | keys | join(" ")'; mem query --history . --prefix /event | grep -c launch
mem bundle --session s1 --agent ada --format text | ids
mem bundle --session s1 --agent ada --channel public --jq '[.sections[].items[].text]'

# Another key opens what the old one sealed, too.
mem key rotate | ids; mem event --session s1 --sensitivity high --text 'the second code' -q > /dev/null
mem bundle --session s1 --agent ada --format text | ids
unset MEM_AGE_IDENTITY
mem bundle --session s1 --agent ada --jq '.omissions[].reason'
mem key new; echo "exit $?"; mem key; echo "exit $?"
