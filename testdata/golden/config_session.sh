# What one session settles for itself, beside what config.json says of all.
export MEM_ROOT=memory MEM_NOW=2026-02-22T10:00:00Z USER=ada LOGNAME=ada
mem session create --id review_7 --config '{"decay_config":{"half_life_hours":336},"preferences":{"custom":{"tone":"dry"}}}'
mem config set storage.compaction_threshold 0.8; mem config set decay.type_specific.finding.half_life_hours 24
mem config list --session review_7 --show-origin
mem config list --session review_7 --jq '.settings[] | select(.name | startswith("preferences")) | [.name, .value, .default, .effect]'

# One value; what the session says of all types goes before what the store says of one.
mem config get compaction_config.threshold --session review_7 --show-origin
mem config set compaction_config.threshold 0.95 --session review_7; mem config set decay_config.type_specific.finding.half_life_hours 24 --session review_7
for name in compaction_config.threshold decay_config.type_specific.finding.half_life_hours decay_config.type_specific.decision.half_life_hours decay_config.min_decay_factor; do mem config get $name --session review_7 --show-origin; done
mem session show review_7 --jq '.settings.compaction_config.threshold, .settings.decay_config.type_specific.finding'
mem config set preferences.language de --session review_7; mem config get preferences.language --session review_7
mem config get preferences.verbosity --session review_7 --json

# null takes it back; what does not change is not written.
mem config set compaction_config.threshold null --session review_7; mem config get compaction_config.threshold --session review_7 --show-origin
mem config set compaction_config.threshold null --session review_7; mem config set preferences.language de --session review_7 --json
mem get /session/review_7; mem query --history .ts | wc -l
wc -l < memory/log.jsonl # files

# Wrong names, values and sessions; the store's settings are not a session's.
mem config set storage.max_session_size_mb 20 --session review_7; echo "exit $?"
mem config set decay_config.half_live_hours 20 --session review_7; echo "exit $?"
mem config set decay_config.half_life_hours 0 --session review_7; echo "exit $?"
mem config set compaction_config.auto_compact perhaps --session review_7; echo "exit $?"
mem config get compaction_config --session review_7; echo "exit $?"
mem config get decay_config.enabled --session nobody; echo "exit $?"
mem config set decay_config.enabled false --session nobody; echo "exit $?"
mem config list --session a/b; echo "exit $?"
mem config list --session ''; echo "exit $?"
mem config get decay_config.enabled; echo "exit $?"
mem query --history .ts | wc -l
wc -l < memory/log.jsonl # files

# The id of a client's conversation has hyphens, that of its session underscores.
mem session create --id 0b6c2f9a_31c5_4a7e_9a53_2f1d8e6b7c10 -q; mem config set agents '["bob"]' --session 0b6c2f9a-31c5-4a7e-9a53-2f1d8e6b7c10 --yes; mem config get agents --session 0b6c2f9a-31c5-4a7e-9a53-2f1d8e6b7c10

# A closed session can be settled too; a shell is offered the ids.
mem session close review_7 -q; mem config set decay_config.enabled false --session review_7; mem config get decay_config.enabled --session review_7
mem fsck
