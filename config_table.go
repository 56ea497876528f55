package mem

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// configTable returns what may stand in config.json. The defaults here are those that [Config] does
// not have: of what has no effect.
func configTable() settings.Table { return slices.Concat(membersOfSessions(), ownMembers()) }

// membersOfSessions returns the members that the design of the sessions has (S-48 to S-51), and two
// of their kind.
func membersOfSessions() settings.Table {
	portion := settings.Between(0, 1)
	const perType = "decay.type_specific." + settings.Any
	return settings.Table{
		{Name: "version", Want: settings.Text("1.0"), Default: `"1.0"`},
		{Name: "storage.root_directory", Want: settings.Text(), Default: `"./memory"`,
			Without: "--root or MEM_ROOT names the store"},
		{Name: "storage.max_session_size_mb", Want: settings.Above(0)},
		{Name: "storage.compaction_threshold", Want: portion},
		{Name: "storage.auto_compact", Want: settings.Bool()},
		{Name: "concurrency.lock_timeout_ms", Want: settings.Whole(0), Default: "5000",
			Without: "--lock-timeout says it"},
		{Name: "concurrency.max_retries", Want: settings.Whole(0), Default: "3",
			Without: "who waits for the lock stands in its queue, and does not try again"},
		{Name: "concurrency.retry_backoff_ms", Want: settings.Whole(0), Default: "100",
			Without: "who waits for the lock stands in its queue, and does not try again"},
		{Name: "decay.enabled", Want: settings.Bool()},
		{Name: "decay.half_life_hours", Want: settings.Above(0)},
		{Name: "decay.update_interval_minutes", Want: settings.Above(0), Default: "60",
			Without: "relevance is worked out when it is asked for"},
		{Name: perType + ".half_life_hours", Want: settings.Above(0)},
		{Name: perType + ".decay_enabled", Want: settings.Bool()},
		{Name: "decay.min_decay_factor", Want: portion},
		{Name: "decay.min_relevance", Want: portion},
		{Name: "performance.cache_size", Want: settings.Whole(0), Default: "100",
			Without: "what is read again is in the system's cache of files"},
		{Name: "performance.batch_write_interval_ms", Want: settings.Whole(0), Default: "1000",
			Without: "a write is on disk before it is acknowledged"},
		{Name: "performance.index_in_memory", Want: settings.Bool(), Default: "true",
			Without: "readers ask no index"},
		{Name: "integrity.enable_checksums", Want: settings.Bool(), Default: "true",
			Without: "every line has a checksum"},
		{Name: "integrity.checksum_algorithm", Want: settings.Text(), Default: `"sha256"`,
			Without: "it is always sha256"},
	}
}

// ownMembers returns the members that are about the store and what is told of it.
func ownMembers() settings.Table {
	tokens := settings.Whole(0)
	return settings.Table{
		{Name: "rotate.lines", Want: settings.Whole(1)},
		{Name: "rotate.bytes", Want: settings.Whole(1)},
		{Name: "knowledge", Want: settings.Texts(`a list of keys, like ["/docs"]`, isPrefix)},
		{Name: "weights.match", Want: settings.Between(0, 1000)},
		{Name: "weights.recency", Want: settings.Between(0, 1000)},
		{Name: "weights.importance", Want: settings.Between(0, 1000)},
		{Name: "auto_compact", Want: settings.Bool()},
		{Name: "memory.inject_mode", Want: settings.Text(string(readout.NotesRelevant),
			string(readout.NotesRecent), string(readout.NotesOff))},
		{Name: "memory.max_inject_chars", Want: settings.Whole(0)},
		{Name: "memory.max_inject_count", Want: settings.Whole(0)},
		{Name: "memory.max_total", Want: settings.Whole(1)},
		{Name: "inject.start_tokens", Want: tokens},
		{Name: "inject.prompt_tokens", Want: tokens},
		{Name: "inject.subagent_tokens", Want: tokens},
		{Name: "inject.private_tokens", Want: tokens},
		{Name: strings.Join(chunksPath, "."), Want: settings.Bool(), Default: "false",
			Without: noChunks},
	}
}

// chunksPath is the path of a member that older configurations may have, and noChunks says why it
// has no effect.
var chunksPath = []string{"postgres", "chunks"}

const noChunks = "chunks are computed when they are asked for"

func isPrefix(text string) bool {
	_, err := keypath.ParsePrefix(text)
	return err == nil
}
