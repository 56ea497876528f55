# Completion scripts print, and keys complete.
export MEM_ROOT=memory
for shell in bash zsh fish powershell; do mem completion $shell | wc -l | awk '{print ($1 > 50)}'; done
mem set /user/name 1 -s chat -q
mem set /user/style 2 -s chat -q
mem set /task/1 3 -s chat -q
mem __complete get /user 2>/dev/null
for verb in edit touch mv supersede undo diff merge; do mem __complete $verb /task 2>/dev/null | head -n 1; done; mem __complete merge /task/1 --into /user/n 2>/dev/null | head -n 1

mem completion >/dev/null; echo "exit $?"
mem completion tcsh; echo "exit $?"

# Values of flags: what there is, and never files.
mem set /task/2 '{"type":"decision","text":"x","tags":["infra","go.mod"]}' -s chat -q; mem set /session/s-1/a '{"type":"finding"}' -s chat -q; mem rm /task/1
offered() { mem __complete "$@" 2>/dev/null | cut -f 1 | tr '\n' ' '; echo; }
offered search --sort ''; offered search --prefix /user/n; offered search --references /task; offered search --since ''
offered export --format ''; offered import --format m; offered read --format ''; offered move --to ''; offered --layer u; offered export --out ''
offered get /task; offered note --scope ''; offered merge --into /task
