# The first five minutes with mem: what scripts/record types. A paragraph is a chapter, its first
# line says what for; a command goes on below a line that ends in "|".

# In a project: a fact, a preference with its source, and a question
mem note 'The database is MySQL on port 3306' --tag infra
mem set /user/preference/style --type preference --text 'Short answers, no emoji' --source chat
mem search 'which port does the database use'

# A correction, a rule that every session starts with, and all that is stored
mem note 'The database is PostgreSQL on port 5432' --tag infra --replaces m-1
mem note 'Never push to main'
mem pin m-3 -q
mem ls

# Claude Code connected, and what its next session starts with
mem setup claude-code -q
echo '{"hook_event_name":"SessionStart","session_id":"s1"}' |
  mem hook claude-code | jq -j .hookSpecificOutput.additionalContext

# The same for any other program, and the files behind it
mem read --token-limit 200
ls ~/.local/share/mem-projects/shop-*
grep -c PostgreSQL ~/.local/share/mem-projects/shop-*/log.jsonl
