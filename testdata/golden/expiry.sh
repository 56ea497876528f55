# expired_at: the memory is over when now has passed it, compared as instants.
export MEM_ROOT=memory
mem set /utc '{"text":"utc","expired_at":"2026-02-22T12:00:00Z"}' -s chat -q
mem set /offset '{"text":"offset","expired_at":"2026-02-22T04:00:00-08:00"}' -s chat -q
mem set /east '{"text":"east","expired_at":"2026-02-22T20:00:00.000000+08:00"}' -s chat -q
mem set /never '{"text":"never","expired_at":null}' -s chat -q
mem set /odd '{"text":"odd","expired_at":"soon"}' -s chat -q

# Just before, at, and just after the instant.
for now in 2026-02-22T11:59:59Z 2026-02-22T12:00:00Z 2026-02-22T12:00:00.000001Z; do mem --now $now ls -1 | tr '\n' ' '; mem --now $now get /utc; mem --now $now read | wc -l; done

# Over: absent from every view, but for those who ask; the file stays until the next compaction.
export MEM_NOW=2026-02-22T13:00:00Z
mem get /offset; echo "exit $?"
mem get /offset --expired
mem ls -1; mem ls -1 --expired
mem query .key; mem query --expired .key
find memory/index -name 'offset*' # files
mem fsck

# A compaction that a person starts takes them out by the clock, though the store is older.
mem compact
find memory/index -name 'offset*' # files
mem set /later 1 -s chat -q
mem compact
find memory/index -name 'offset*' # files
mem get /offset --expired; echo "exit $?" # files
mem history /offset | cut -f 2-

# Writing again begins a new life.
mem set /utc '{"text":"utc","expired_at":"2026-02-23T00:00:00Z"}' -s chat -q
mem get /utc

# A memory that is over when it is written is stored, with a warning.
mem set /late --text late --expires 2026-02-22 -s chat -q
mem set /late --text late --expires 2026-02-22 -s chat
mem set /later '{"text":"late","expired_at":"2026-02-22T12:59:59Z"}' -s chat

# A variable that is not set stores nothing, and a line end is no part of a time.
mem set /k --text x --expires "$UNSET" -s chat; echo "exit $?"
mem set /k --text x --ttl '' -s chat; echo "exit $?"
mem set /k --text x --importance ' ' -s chat; echo "exit $?"
mem set /k '{"text":"x"}' -s chat --if-ts "$UNSET"; echo "exit $?"
mem set /k --text x --kind user --retrieved-at '' ; echo "exit $?"
mem search x --since "$UNSET"; mem search x --until ''; mem ls --now ''; echo "exit $?"
mem get /k; echo "exit $?"
mem set /k --text x --expires $'2099-01-01T00:00:00Z\n' --kind user --name Ada --retrieved-at ' 2026-02-22T10:00:00Z' -q
mem get /k --envelope

# JSON has its own members.
mem set /k '{"text":"x"}' --expires 2099-01-01 -s chat; echo "exit $?"
mem set /k '{"text":"x"}' --tag a -s chat; echo "exit $?"
mem set /k --tag a -s chat; echo "exit $?"
