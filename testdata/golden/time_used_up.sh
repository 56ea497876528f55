# postgres: no (fsck there puts no time right)
# A write at the last instant there is would leave no time for another: it is refused.
export MEM_ROOT=memory
MEM_NOW=9999-12-31T23:59:59.999999Z mem set /last 1 -s chat -q
mem set /next 2 -s chat; echo "exit $?"
mem fsck --repair -q >/dev/null; echo "exit $?"
mem set /next 2 -s chat -q; mem get /next
