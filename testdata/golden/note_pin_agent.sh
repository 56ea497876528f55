# What an agent pins is a fact at once, and its pin waits for a person, who makes a rule of it.
# needs: jq
export MEM_ROOT=memory
masked() { sed -E 's/p-[0-9a-z]{8}/p-ID/g'; }
CLAUDECODE=1 mem note 'Never push to main' --pin 2>&1 | masked
CLAUDECODE=1 mem note 'never push to main' --pin -q
mem get m-1
mem approve --json --jq '.proposals[] | [.change, .key, .content.pinned, .late]'
mem doctor --json -q | jq -c '.findings[] | select(.what == "proposals")'
CLAUDECODE=1 mem note 'Never push to main' -q
mem approve "$(mem approve --json --jq '.proposals[0].id')" --yes -q
mem get m-1
CLAUDECODE=1 mem forget m-1 -q 2>&1 | head -n 1
CLAUDECODE=1 mem note 'Never push to main' --pin

mem set /project/build --text 'make test' -s chat -q
mem set /user/tone --type preference --text short -s me -q
CLAUDECODE=1 mem pin /project/build /project/none 2>&1 | masked
CLAUDECODE=1 mem pin /project/build --json 2>/dev/null | jq -c '.touched, (.proposed[] | [.key, .valid])'
mem ls --pinned | cut -f 1
CLAUDECODE=1 mem pin /user/tone
CLAUDECODE=1 mem approve --all --yes
mem approve --all
mem approve --all --yes | masked
mem ls --pinned | cut -f 1
mem approve --all
CLAUDECODE=1 mem pin /project/build
