# The agents that keep something, and the end of one.
export MEM_ROOT=memory
ids() { sed -E 's/[0-9A-HJKMNP-TV-Z]{26}/ULID/g'; }
mem agent list; mem agent list --json
for agent in ada bob; do mem journal "zanzibar of $agent" --agent $agent -q; mem core "pemba of $agent" --agent $agent -q; done
mem core 'and lamu' --agent ada -q
mem set /agent/ada/notes '"stays"' -s chat -q
mem agent list; mem agent list --json; MEM_AGENT=bob mem agent list

mem agent delete ada
mem agent delete ada; echo "exit $?"
mem read --format private --agent ada; mem get /agent/ada/notes; mem agent list
grep -c 'of ada' memory/log.jsonl # files

# For good: also what was deleted before.
mem agent delete ada --purge --yes
grep -rlc 'of ada' memory # files
mem agent delete ada --purge --yes; echo "exit $?"
mem agent delete bob --purge --yes --json | ids
mem get /agent/ada/notes; mem forget --list | wc -l

mem agent; echo "exit $?"; mem agent delete; echo "exit $?"; mem agent list --yes; echo "exit $?"
mem agent delete 'a b'; echo "exit $?"; MEM_AGENT=ada mem agent delete ada; echo "exit $?"
mem agent delete eve --json; echo "exit $?"
mem core x --agent eve -q; mem __complete agent delete '' 2>/dev/null
