# What memd alone has: mem lists it without running memd, and hands it over.
mem help server; mem help | grep '^  page'
mem __complete to 2>/dev/null
mem token add --yes t1 --agent grace,ada --root r -q | sed -E 's/[0-9A-Za-z]{43}$/(43 digits)/'
mem token add --yes t1 --agent bob --root r 2>&1 > /dev/null | sed -E "s/tok_[0-9A-Z]{26}/tok_ID/"
mem token add --yes t2 --agent ada --root r -q --jq '.tenant_id, .agents[], .created'
mem token list --root r | cut -f 2-
ls -l r/tokens.json | cut -c 1-10
mem token revoke "$(mem token list --root r --jq .tokens[0].id)" --root r | sed -E 's/tok_[0-9A-Z]+/tok_ID/'
mem token list --root r --jq .count
mem token revoke nonsense --root r; echo "exit $?"
mem token add --yes ../t3 --agent ada --root r; echo "exit $?"
mem token add --yes t3 --root r; echo "exit $?"
mem token list --root none; echo "exit $?"
ls none
mem token; echo "exit $?"
mem token nonsense; echo "exit $?"

# The root of a server holds memories and is none.
mem serve; echo "exit $?"
mem set --root m -q /user/x 1 --source chat
mem serve --root m; echo "exit $?"

# Without the memd that was built with it mem does nothing of all that.
mkdir alone && cp "$(command -v mem)" alone/
alone/mem token list --root r; echo "exit $?"
alone/mem --json serve --root r; echo "exit $?"
alone/mem event --session s1 --sensitivity high --text 'the launch code' --root m; echo "exit $?"
mem event --session s1 --sensitivity high --text 'the launch code' --root m; echo "exit $?"

# With a key memd seals what is of sensitivity high, and mem has it sealed.
mem key new ~/key
mem key new ~/key; echo "exit $?"
export MEM_AGE_IDENTITY=~/key
echo '{"session_id":"s1","kind":"message","sensitivity":"high","actor":{"type":"human","id":"u"},"content":{"text":"the launch code"}}' | mem event - --root m --jq '.chunk_ids | length'
mem key rotate
mem bundle --session s1 --agent ada --root m --format text
mem get --root m "$(mem ls --root m --keys /event)" --jq '.content | keys | join(" ")'
grep -rc launch m/log.jsonl
unset MEM_AGE_IDENTITY
mem bundle --session s1 --agent ada --root m --jq '.omissions[].reason'
