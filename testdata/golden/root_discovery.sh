# Which stores are meant: --root, then MEM_ROOT, then the nearest .mem upward and the user's own.
mem set /where '"home"' -s chat
XDG_DATA_HOME=$HOME/xdg mem set /where '"xdg"' -s chat
mkdir -p project/sub/dir other && (cd project && mem init -q)
(cd project/sub/dir && mem set /where '"project"' -s chat)
(cd project && MEM_ROOT=$HOME/variable mem set /where '"variable"' -s chat)
(cd project && MEM_ROOT=$HOME/variable mem --root ../flag set /where '"flag"' -s chat)
mem get /where
XDG_DATA_HOME=$HOME/xdg mem get /where
(cd project/sub && mem get /where)
MEM_ROOT=variable mem get /where
mem get /where --root flag
XDG_DATA_HOME=relative/is/ignored mem get /where
(cd other && mem stat --jq .root)

# A .mem that is found is used only if it was let in and is no link; the search ends at the home directory.
mkdir -p other/linked && ln -s ../../project/.mem other/linked/.mem
(cd other/linked && mem get /where)
(cd other/linked && mem set /where '"still at home"' -s chat && mem get /where -q)
(cd other/linked && echo '{"hook_event_name":"SessionStart"}' | mem hook codex | grep -o 'still at home')
(cd other/linked && mem doctor | grep ignored)
(cd other/linked && mem --root .mem get /where)
mkdir -p planted/.mem/index && (cd planted && mem set /where '"not there"' -s chat; ls -A .mem)
mkdir -p project/home/below
(cd project/home/below && HOME=$HOME/project/home mem get /where; echo "exit $?")

# Reading a store that is not there finds nothing, and makes nothing.
mem --root nowhere ls; echo "exit $?"
mem --root nowhere get /k; echo "exit $?"
mem --root nowhere fsck; echo "exit $?"
mem --root nowhere compact; echo "exit $?"
mem --root nowhere rm /k; echo "exit $?"
ls

# A root that does not exist reads as empty, and says so; a store without an answer has a word too.
mem --root no/such ls; echo "exit $?"
mem --root no/such get /a 2>&1 >/dev/null; mem --root no/such read --quiet; test ! -e no && echo "nothing made"
mem --root no/such search x --json; echo "exit $?"
mem --root one set /one 1 -s chat -q
mem --root one ls /two; mem --root one search zebra; mem --root one read --query zebra
mem --root one ls /two --log-level error; mem --root one search zebra -q; mem --root one read --token-limit 1
