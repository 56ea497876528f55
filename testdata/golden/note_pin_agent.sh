# A note that an agent pins is a fact at once, and its pin waits for a person, who makes a rule of it.
export MEM_ROOT=memory
masked() { sed -E 's/p-[0-9a-z]{8}/p-ID/g'; }
CLAUDECODE=1 mem note 'Never push to main' --pin 2>&1 | masked
CLAUDECODE=1 mem note 'never push to main' --pin -q
mem get m-1
mem approve --json --jq '.proposals[] | [.change, .key, .content.pinned, .late]'
CLAUDECODE=1 mem note 'Never push to main' -q
mem approve "$(mem approve --json --jq '.proposals[0].id')" --yes -q
mem get m-1
CLAUDECODE=1 mem forget m-1 -q 2>&1 | head -n 1
CLAUDECODE=1 mem note 'Never push to main' --pin
