# needs: git
# Hooks can be turned off for a project, and by the environment; every other verb works as before.
mkdir app && cd app && git init -q -b main
start() { echo "{\"hook_event_name\":\"SessionStart\",\"session_id\":\"$1\"}" | mem hook claude-code; }
mem note 'Deploys run on Tuesday' -q; start a
mem off 2>&1 | sed 's|app-.*|app|'; mem off; start b; echo "exit $?"
mem where | cut -f 1-3; mem where --jq .hooks_off; mem doctor | grep '^warn  hooks'; mem notes -q
mkdir -p ~/other && cd ~/other && git init -q -b main && mem note 'Elsewhere' -q && start c
cd ~/app; mem on --jq '[.off, .changed]'; mem on; start b; mem injections -q | cut -f 2-4
MEM_OFF=1; export MEM_OFF; start d; mem where | cut -f 1; mem on; MEM_OFF=0; start d

# Without a project there is nothing to turn off; with one store by name, there is.
cd ~ && mem off; echo "exit $?"; mem --root m set /a 1 -s chat -q; mem --root m off -q; mem --root m where --jq .hooks_off
