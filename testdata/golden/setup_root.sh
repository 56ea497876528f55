# postgres: no (it is about the files of clients)
# What mem setup says and writes about a root: hooks run without the MEM_ROOT of this terminal. Only mem itself is in its PATH.
mem() { PATH=${PATH%%:*} command mem "$@"; }
export MEM_ROOT=$HOME/memory
mem note 'The port is 5432' -q

# The next session reads nothing of it, and both ways on are printed.
mem setup claude-code
mem doctor | grep '^warn  MEM_ROOT'
mem setup claude-code --check; echo "exit $?"
mem setup claude-code --remove -q
ls -A .claude 2>&1

# One way: the memories where hooks read.
(unset MEM_ROOT; mem note 'The port is 5433' -q; mem setup claude-code --hooks-only) | sed 's/about .. tokens/about N tokens/'
mem setup claude-code --remove -q
# The other: hooks that name the root, for all projects.
mkdir .claude && echo '{"model": "opus"}' > .claude/settings.json && cp .claude/settings.json before.json
mem setup claude-code --root memory --hooks-only
grep -c "\"--root\", \"$HOME/memory\"" .claude/settings.json
mem doctor | grep -e '^warn  MEM_ROOT' -e claude
mem setup | grep claude-code
mem setup --json --jq '.clients[0].root'

# To write, to change and to remove it is a person's decision. A client's own setup keeps it.
export CLAUDECODE=1
mem setup claude-code --root other --hooks-only; echo "exit $?"
mem setup codex --root memory --dry-run; echo "exit $?"
mem setup claude-code --remove; echo "exit $?"
mem setup claude-code --root memory --hooks-only -q
mem setup claude-code --hooks-only -q
unset CLAUDECODE
grep -c "\"--root\", \"$HOME/memory\"" .claude/settings.json
mem setup claude-code --root other --hooks-only -q
grep -c "\"--root\", \"$HOME/other\"" .claude/settings.json
mem setup claude-code --remove -q
diff .claude/settings.json before.json

# With a guidance, its commands reach the same store, and a later setup without the flag keeps that.
mem setup claude-code --root memory -q; grep -ch "mem --root $HOME/memory \(note 'Deploys\|undo --last\)" .claude/CLAUDE.md .claude/skills/mem/SKILL.md
mem setup claude-code -q; mem setup claude-code --check -q; grep -c "mem --root $HOME/memory note 'Deploys" .claude/CLAUDE.md
mem setup claude-code --remove -q

# Every other client: a person names the root, a client keeps it and may name no other, and nothing is left of it.
mkdir work; cd work
files() { find ~ -type f -not -path '*/.local/*' -not -path '*/memory/*' | sort | xargs sha256sum; }
files > ~/.local/before
for c in codex gemini opencode cursor vscode claude-desktop windsurf zed; do
  mem setup $c --root ~/memory -q > /dev/null
  CLAUDECODE=1 mem setup $c -q > /dev/null && CLAUDECODE=1 mem setup $c --root ~/memory -q | head -n 1
  CLAUDECODE=1 mem setup $c --root ~/other -q 2> /dev/null; echo "$c: exit $?, $(grep -rlF -e "$HOME/memory" ~ --exclude-dir=.local --exclude-dir=memory | wc -l) files"
  mem setup $c --check --root ~/other -q | head -n 1
  mem setup $c --remove -q > /dev/null
  files | diff ~/.local/before -
done
mem setup agents-md --root ~/memory; echo "exit $?"

# Without a client, the parts of each client that was found.
mem setup --check; echo "exit $?"
mkdir ~/.codex && mem setup --check; echo "exit $?"
mem setup --all -q && mem setup --check; echo "exit $?"
mem setup --remove; echo "exit $?"
