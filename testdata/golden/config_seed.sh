# postgres: no (it is about config.json)
# needs: jq
# The configuration of the sessions' design, word for word: all of it is accepted, and what has no effect says so.
export MEM_ROOT=memory
mem init -q
cat > memory/config.json <<'END'
{
  "version": "1.0",
  "storage": {
    "root_directory": "./memory",
    "max_session_size_mb": 10,
    "compaction_threshold": 0.9,
    "auto_compact": true
  },
  "concurrency": {
    "lock_timeout_ms": 5000,
    "max_retries": 3,
    "retry_backoff_ms": 100
  },
  "decay": {
    "enabled": true,
    "update_interval_minutes": 60,
    "type_specific": {
      "conversation": {"half_life_hours": 168},
      "decision": {"half_life_hours": 720},
      "finding": {"half_life_hours": 336},
      "preference": {"decay_enabled": false}
    },
    "min_decay_factor": 0.1
  },
  "performance": {
    "cache_size": 100,
    "batch_write_interval_ms": 1000,
    "index_in_memory": true
  },
  "integrity": {
    "enable_checksums": true,
    "checksum_algorithm": "sha256"
  }
}
END
mem set /k 1 -s chat -q; mem get /k; mem compact -q; mem doctor -q | grep config
mem config list --show-origin
mem config list --jq '.settings[] | select(.origin != "default" and (.value|tostring) != (.default|tostring)) | .name'
mem config list --json | jq -c '.settings[2,5]'

# One member changes, and nothing else in the file.
cp memory/config.json was
mem config set storage.max_session_size_mb 2.5; mem config set decay.type_specific.conversation.decay_enabled false
diff was memory/config.json
mem config get storage.max_session_size_mb --show-origin
mem config set storage.max_session_size_mb 10; mem config set decay.type_specific.conversation.decay_enabled null
cmp was memory/config.json && echo same

# A type that nobody has named is as all others; one that is named stands beside them.
mem config get decay.type_specific.note.half_life_hours --show-origin
mem config set decay.half_life_hours 48
mem config get decay.type_specific.note.half_life_hours --show-origin; mem config get decay.type_specific.preference.half_life_hours --show-origin
mem config set decay.type_specific.preference.decay_enabled true; mem config get decay.type_specific.decision.half_life_hours
mem config list --show-origin | grep preference
