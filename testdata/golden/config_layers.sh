# needs: jq git
# Two layers have a configuration each. What came with a repository counts for nothing.
mkdir app && cd app && git init -q -b main && git config user.name ada && git config user.email ada@example.com
mem init -q; mem set /user/x 1 -s chat -q
mem config set rotate.lines 5; mem config set rotate.lines 7 --layer user; mem config set inject.start_tokens 9
cat .mem/config.json ~/.local/share/mem/config.json
mem config get rotate.lines --show-origin; mem config get rotate.lines --layer user
mem config list | grep -e rotate.lines -e start_tokens
mem config list --json | jq -c '.settings[] | select(.name == "inject.start_tokens" or .name == "rotate.lines")'
mem config get rotate.bytes --json --layer user

# What the project sets for injection counts there; the ranking is the user's, and refused here.
mem config set weights.match 1; echo "exit $?"; mem config set weights.match 1 --layer project; echo "exit $?"
mem config set concurrency.max_retries 5 --layer user; echo "exit $?"; mem config list | grep -c 'no effect'

# Each is wrong for itself, and the hint works as printed.
echo '{"rotate":{"line":5}}' > ~/.local/share/mem/config.json
mem set /project/a 1 -s chat -q; echo "exit $?"; mem set /user/a 1 -s chat; echo "exit $?"
mem ls -1; mem read
mem config set --layer user rotate.line null; mem set /user/a 1 -s chat -q; echo "exit $?"

# One that git tracks.
rm .mem/.gitignore; git add -f .mem/config.json; git commit -qm config
mem config list --layer project --show-origin | grep -e rotate.lines
mem config set rotate.lines 9; echo "exit $?"; mem doctor | grep config
