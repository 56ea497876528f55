# needs: jq git
# Of two layers: what happened goes to the project's, but to the user's where git tracks that; a bundle has both.
export MEM_NOW=2026-02-22T10:00:00Z; unset MEM_ROOT
ids() { sed -E 's/(evt|chk|dec|task|art|acb)_[0-9A-HJKMNP-TV-Z]{26}/\1_ID/g'; }
git init -q app; cd app; mem init -q 2> /dev/null
e=$(mem event --session s1 --text 'the gate is green' --jq .event_id)
mem set /user/preference/tone '{"type":"preference","text":"short answers"}' -s x -q > /dev/null
mem set /agent/ada/identity '{"text":"You are Ada."}' -s x -q > /dev/null; mem set --yes /rules/project/a '{"text":"gates first"}' -s x -q > /dev/null
d=$(mem decide 'open the gate' --ref $e); t=$(mem task 'open it'); mem handoff --session s1 --to ada 'the gate is yours'
ls -d .mem/index/*; for k in /event /decision /task /handoff /agent /user; do mem ls $k --layer user | wc -l | tr '\n' ' '; mem ls $k --layer project | wc -l; done
mem bundle --session s1 --agent ada --query gate --format text | ids
mem task $t --status done > /dev/null; mem decide 'shut the gate' --supersedes $d --ref $e > /dev/null; mem ls /decision --layer project | wc -l
# A store that git tracks is not to hold what was said and done.
cd ..; git init -q shared; cd shared; mem init --shared --yes -q > /dev/null 2>&1
mem event --session s2 --text 'not to be published' -q | ids; mem ls /event --layer project; mem ls /event --layer user | cut -f 2-
echo x | mem artifact add - | ids; mem handoff --session s2 --to bob x; mem decide 'published' --ref /event/s2/$(mem ls /event/s2 --jq .memories[0].key | cut -d / -f 4) | ids; mem ls / --layer project | ids
mem event --session s2 --text x --layer project 2>&1 | ids
mem bundle --session s2 --agent bob --query published --format text | ids
# What happened before there was a .mem stays where it did.
cd ..; git init -q late; cd late; mem event --session s1 --text early -q > /dev/null; mem note 'a note' -q > /dev/null; mem init 2>&1 | grep -c '1 memory of this repository'
