# The memories that a new session begins with are those of the hook of a start, and nothing records it.
mkdir -p ~/shop && cd ~/shop && git init -q
mem injections --next; echo "exit $?"
mem note 'The database is PostgreSQL on port 5433' -q; mem note 'Deploy on Fridays never' --pin -q --yes
mem note 'Short answers, please' --scope user -q
mem injections --next; mem injections --next --json --jq '.text | split("\n") | length, (.[0])'
mem injections --next --jq '.memories[].layer' | sort | uniq -c
mem injections # none
start() { echo '{"hook_event_name":"SessionStart","session_id":"tuesday"}' | mem hook claude-code | jq -r .hookSpecificOutput.additionalContext; }
echo a > f.txt; mem note 'f.txt is generated' --file f.txt -q; echo bb > f.txt
mem injections --next > said; start | diff said - | grep '^[<>]'
for flag in --why --cost '--limit 3' '--conversation x'; do mem injections --next $flag; echo "exit $?"; done
mem injections --next --root ~/elsewhere; echo "exit $?"
MEM_ROOT=~/.local/share/mem mem injections --next

# Outside of every project a note says that no project gets it, and one for everywhere does not.
cd ~ && mem note 'The printer is on the second floor'; mem note 'Tea, no coffee' --scope user
mem set /user/desk '{"text":"by the window"}' -s me -q; mem set /desk '{"text":"by the door"}' -s me -q
mem note 'quiet' -q; mem note 'of a file' --file nosuch.txt --scope user; mem note 'of files' --file '*.txt' --scope user
CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=s1 mem note 'of this talk alone' --scope session
