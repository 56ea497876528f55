# needs: git
# Two layers: a list says where a session is, and no id is given twice.
export MEM_NOW=2026-02-22T10:00:00Z USER=ada LOGNAME=ada
git init -q app && cd app && mem init -q
mem session create --layer user -q; mem session create --layer project -q; mem session create --layer user --id s1 -q
mem session create --layer project --id s1; echo "exit $?"
mem session delete s1; mem session create --layer project --id s1; echo "exit $?"
mem session list
mem session list --jq '.sessions[].layer'
mem session list --layer user
