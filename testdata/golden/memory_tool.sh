# The memory tool of Anthropic's models: commands as a model sends them, answers as it is told them.
# served: no (the name of a member moves the end of lines that are cut)
export MEM_ROOT=memory MEM_AGENT=ada MEM_NOW=2026-02-22T10:00:00Z
tool() { mem memory-tool "$@"; echo "exit $?"; }
tool '{"command":"view","path":"/memories"}'
tool '{"command":"create","path":"/memories/todo/today.md","file_text":"- milk\n- bread\n"}'
tool '{"command":"create","path":"/memories/todo/today.md","file_text":""}'
tool '{"command":"view","path":"/memories"}'
echo '{"command":"str_replace","path":"/memories/todo/today.md","old_str":"milk","new_str":"oat milk"}' | tool
echo '{"command":"insert","path":"/memories/todo/today.md","insert_line":2,"insert_text":"- salt\n"}' | tool -
tool '{"command":"view","path":"/memories/todo/today.md","view_range":[2,-1]}'
tool '{"command":"str_replace","path":"/memories/todo/today.md","old_str":"- ","new_str":"* "}'
tool '{"command":"rename","old_path":"/memories/todo","new_path":"/memories/lists"}'
mem get /memories/lists/today.md --envelope | jq -c '[.content,.source]'
mem history /memories/todo/today.md | cut -c1-60
tool '{"command":"view","path":"/memories/lists/no.md"}' --json
tool '{"command":"view","path":"/memories/lists"}' --jq .text

# What is no answer of the tool is an error, too; nothing is stored.
tool '{"command":"create","path":"/memories/../etc/passwd","file_text":"x"}'
tool '{"command":"create","path":"/memories/key","file_text":"AKIAQYLPMN5HHHFPZAM2"}'
tool '{"command":"look"}'
tool '{"command":"create","path":"/memories/a"}'
tool no JSON
tool 'no JSON'
tool '{"command":"delete","path":"/memories/lists"}'
mem ls /memories
# A deletion can be undone, as any.
mem undo /memories/lists/today.md -q
tool '{"command":"view","path":"/memories/lists/today.md"}'
