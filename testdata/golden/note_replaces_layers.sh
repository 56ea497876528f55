# needs: git jq
# A note goes to the layer of what it replaces, and one takes the place of one layer's.
git init -q app; cd app
mem note 'Answers are in French' --scope user
mem note 'The port is 5432'
mem note 'Answers are in German' --replaces u-1
mem note 'The port is 5433' --replaces m-1
mem note 'nothing' --replaces u-2 --replaces m-2; echo "exit $?"
mem note 'nothing' --replaces u-2 --scope workspace; echo "exit $?"
mem note 'nothing' --replaces m-2 --scope user; echo "exit $?"

# What the user's layer knows is renewed there.
mem note 'answers are in GERMAN'
mem note 'the port is 5433' --scope user
mem ls -l
mem fsck

# What the user's store has of no project hooks tell in none, so it is not known there; nor to who notes for every project.
cd .. && mem note 'Backups run at night'
mem note 'backups run at night'
mem note 'backups run at night' --scope user
cd app && mem note 'The office is closed on Friday' --pin
mem note 'the office is closed on friday' --scope user --pin
echo '{"hook_event_name":"SessionStart","session_id":"s1","source":"startup"}' | mem hook claude-code | jq -r .hookSpecificOutput.additionalContext

# An id without its hyphen gets the note that it meant, if there is one; a key of that name stays one.
mem get 3; echo "exit $?"
mem note 'nothing' --replaces u3; echo "exit $?"
mem history m64; echo "exit $?"
mem set 3 --text three --source chat > path && mem forget 3 && mem history 3
