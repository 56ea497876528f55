# What the guidance says, by what comes to its reader by itself. Only mem itself is in its PATH.
mem() { PATH=${PATH%%:*} command mem "$@"; }
for client in claude-code vscode cursor agents-md; do echo "# $client"; mem prompt --client $client | head -n 5 | tail -n 3; done
mem prompt --client codex | diff - <(mem prompt --client claude-code) && echo 'the same'
mem prompt --client agents-md | diff - <(mem prompt) && echo 'the same'
mem prompt --client codex | diff - <(mem prompt --client agents-md) | grep '^>.*set project'
for client in claude-code codex gemini qwen copilot droid pi cline opencode kilo continue cursor vscode agents-md; do mem prompt --client $client --jq '.tokens < 400'; done
mem prompt --client claude-code --jq .prompt | tail -n +13
mem prompt --client zed; echo "exit $?"
mem prompt --client emacs; echo "exit $?"
mem prompt --client ''; echo "exit $?"

# setup writes it. Several clients read AGENTS.md, so what it says there is true for all of them.
mkdir .codex; mem setup codex -q; mem prompt --client codex | diff - <(grep -v mem: .codex/AGENTS.md) && echo 'the same'
mkdir -p app/.git && cd app && touch .git/HEAD
mem setup codex --project -q && mem prompt --client agents-md | diff - <(grep -v mem: AGENTS.md) && echo 'the same'
cd ..

# Where no shell finds mem, it has the whole path, and setup and doctor say so.
mkdir bin && cp "${PATH%%:*}/mem" bin/mem
PATH=/usr/bin:/bin; unset -f mem
bin/mem setup claude-code | sed "s,$HOME,HOME,g"
grep 'mem forget' .claude/CLAUDE.md | sed "s,$HOME,HOME,g"
bin/mem doctor | grep -e path -e claude | sed "s,$HOME,HOME,g"
PATH=$HOME/bin:$PATH
mem setup claude-code --check; echo "exit $?"
mem setup claude-code
grep 'mem forget' .claude/CLAUDE.md; ls -A .claude
