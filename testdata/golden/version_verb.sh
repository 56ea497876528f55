# What varies is masked.
mem version | sed -E 's/mem [^ ]+ \([^,]+, format ([0-9]+), go[^)]*\)/mem VERSION (COMMIT, format \1, GO OS)/'
mem version --jq .format
mem version --json | sed -E 's/:"[^"]*"/:"*"/g'
mem version extra; echo "exit $?"
mem --version | cut -d" " -f 1-2; echo "exit $?"
