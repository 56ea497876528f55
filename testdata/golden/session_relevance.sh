# needs: jq
# Relevance is importance x decay x boost x match, worked out when it is asked for.
# served: no (it looks from a later time)
export MEM_ROOT=memory USER=ada LOGNAME=ada
at() { export MEM_NOW=$1; }
at 2026-01-01T00:00:00Z
S=$(mem session create); T=$(mem session create --user bob --config '{"decay_config":{"half_life_hours":336,"min_decay_factor":0.2}}')
say() { mem remember "$@" > last; }
say $S 'Use PostgreSQL for tea' --type decision --importance 0.9; d=$(cat last)
say $S 'We talked about tea' --type conversation --importance 0.8
say $S 'She prefers green tea' --type preference --importance 0.7
say $T 'Bob talked about tea' --type conversation --importance 0.8
short() { sed 's/^[^\t]*\t\([a-z]*\)/\1/'; }
why() { mem search --why "$@" | short; }
for hours in 23 24 168 600 720; do at $(date -u -d "2026-01-01 +$hours hours" +%Y-%m-%dT%H:%M:%SZ); echo "after $hours hours"; why --session $S; done
at 2027-01-01T00:00:00Z; why --session $S --type preference
at 2025-12-01T00:00:00Z; why --session $S --type conversation
at 2026-01-15T00:00:00Z; why --prefix /session; why tea --prefix /session | grep -c "match 1$"
mem search tea --prefix /session --type decision --why --json | jq -c '.memories[] | [.score, .why]'
# A search of everything goes by the base score; so do time and importance.
mem search tea --why | grep -c " x match"; mem search --session $S --sort time | short | sort; mem search --session $S --sort importance | short
# A touch changes no decay, nor does a read, a compaction or a lost cache.
why --session $S --type decision; mem touch /session/$S/$d --tag kept -q
mem get $S $d > /dev/null; mem compact -q; why --session $S --type decision; why --prefix /session > before
rm -rf memory/cache # files
rm -rf ~/.cache/mem
why --prefix /session | cmp - before && echo same
# Decay can be off: for the store, for a session, for a type.
mem config set decay.enabled false; why --session $S --type decision,conversation
mem config set decay.enabled null; mem config set decay.type_specific.decision.half_life_hours 336; why --session $S --type decision
mem session show $T --jq .settings.decay_config
mem session create --id p --config '{"preferences":{"language":"en","custom":{"a":"b"}},"compaction_config":{"threshold":0.95}}'
mem session show p --jq '[.version, .preferences, .settings.compaction_config]'
mem fsck
