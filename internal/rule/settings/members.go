package settings

import (
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

const perType = "decay.type_specific." + Any

// recordTypes are the types that a memory of a session may have.
var recordTypes = []string{"conversation", "decision", "finding", "preference"}

const inQueue = "a writer waits for the lock in a queue, and does not try again"

// Members are the members of config.json, in the order of lists. A row without a field of [Config]
// gives the reason why it has no effect.
var Members = Table{
	// What the design of the sessions has, and two of their kind.
	{Name: "version", By: Anybody, Want: Text("1.0"), Default: `"1.0"`,
		Doc: "version of this file; a newer one is refused"},
	{Name: "storage.root_directory", By: Anybody, Want: Text(), Default: `"./memory"`,
		Without: "--root or MEM_ROOT names the store"},
	{Name: "storage.max_session_size_mb", By: Anybody, Want: NumberAbove(0), Default: "10",
		Doc: "greatest size of a session, in MiB; fractions are allowed",
		of:  func(c *Config) any { return &c.Storage.MaxSessionSizeMB }},
	{Name: "storage.compaction_threshold", By: Anybody, Want: NumberBetween(0, 1), Default: "0.9",
		Doc: "fill level, 0 to 1, at which a session is compacted",
		of:  func(c *Config) any { return &c.Storage.CompactionThreshold }},
	{Name: "storage.auto_compact", By: Anybody, Want: Bool(), Default: "true",
		Doc: "whether sessions are compacted automatically",
		of:  func(c *Config) any { return &c.Storage.AutoCompact }},
	{Name: "concurrency.lock_timeout_ms", By: Anybody, Want: Whole(0), Default: "5000",
		Without: "--lock-timeout sets it"},
	{Name: "concurrency.max_retries", By: Anybody, Want: Whole(0), Default: "3", Without: inQueue},
	{Name: "concurrency.retry_backoff_ms", By: Anybody,
		Want: Whole(0), Default: "100", Without: inQueue},
	{Name: "decay.enabled", By: Anybody, Want: Bool(), Default: "true",
		Doc: "whether memories of sessions lose relevance with age",
		of:  func(c *Config) any { return &c.Decay.Enabled }},
	{Name: "decay.half_life_hours", By: Anybody, Want: NumberAbove(0), Default: "168",
		Doc: "hours after which half the relevance is lost, for every type without a setting of " +
			"its own",
		of: func(c *Config) any { return &c.Decay.HalfLifeHours }},
	{Name: "decay.update_interval_minutes", By: Anybody, Want: NumberAbove(0), Default: "60",
		Without: "relevance is worked out when it is asked for"},
	{Name: perType + ".half_life_hours", By: Anybody,
		Want: NumberAbove(0), Like: "decay.half_life_hours",
		Kinds:  []Kind{{"conversation", "168"}, {"decision", "720"}, {"finding", "336"}},
		Types:  recordTypes,
		Doc:    "the half-life of one type",
		ofType: func(t *TypeDecay) any { return &t.HalfLifeHours }},
	{Name: perType + ".decay_enabled", By: Anybody, Want: Bool(), Default: "true",
		Kinds:  []Kind{{"preference", "false"}},
		Types:  recordTypes,
		Doc:    "whether that type loses relevance",
		ofType: func(t *TypeDecay) any { return &t.DecayEnabled }},
	{Name: "decay.min_decay_factor", By: Anybody, Want: NumberBetween(0, 1), Default: "0.1",
		Doc: "lower bound, 0 to 1, of the factor of age",
		of:  func(c *Config) any { return &c.Decay.MinDecayFactor }},
	{Name: "decay.min_relevance", By: Anybody, Want: NumberBetween(0, 1), Default: "0.05",
		Doc: "relevance, 0 to 1, below which the compaction of a session drops a memory",
		of:  func(c *Config) any { return &c.Decay.MinRelevance }},
	{Name: "performance.cache_size", By: Anybody, Want: Whole(0), Default: "100",
		Without: "repeated reads come from the file cache of the system"},
	{Name: "performance.batch_write_interval_ms", By: Anybody, Want: Whole(0), Default: "1000",
		Without: "a write is on disk before it is acknowledged"},
	{Name: "performance.index_in_memory", By: Anybody, Want: Bool(), Default: "true",
		Without: "readers ask no index"},
	{Name: "integrity.enable_checksums", By: Anybody, Want: Bool(), Default: "true",
		Without: "every line has a checksum"},
	{Name: "integrity.checksum_algorithm", By: Anybody, Want: Text(), Default: `"sha256"`,
		Without: "it is always sha256"},

	// The store itself, and injections from it. The limits of the live log count since the last
	// rotation, so that a log that is kept forever is not compacted at every write.
	{Name: "rotate.lines", By: Anybody, Want: Whole(1), Default: "100000",
		Doc: "lines and bytes at which the live log moves to `archive/`",
		of:  func(c *Config) any { return &c.Rotate.Lines }},
	{Name: "rotate.bytes", By: Anybody, Want: Whole(1), Default: "67108864",
		of: func(c *Config) any { return &c.Rotate.Bytes }},
	{Name: "knowledge", By: Answered,
		Want: Texts(`a list of keys, like ["/docs"]`, isPrefix), Default: "[]",
		Doc: "keys besides `/kb` below which every memory needs a full source, like `[\"/docs\"]`",
		of:  func(c *Config) any { return &c.Rules.Knowledge }},
	{Name: "weights.match", By: Anybody,
		Want: NumberBetween(0, 1000), Default: "0.2", Reading: true,
		Doc: "weights of a read without a query; where one of the three is set, the others are 0 " +
			"unless set too ([ranking](ranking.md))",
		of: func(c *Config) any { return &c.Weights.Match }},
	{Name: "weights.recency", By: Anybody,
		Want: NumberBetween(0, 1000), Default: "0.5", Reading: true,
		of: func(c *Config) any { return &c.Weights.Recency }},
	{Name: "weights.importance", By: Anybody,
		Want: NumberBetween(0, 1000), Default: "0.3", Reading: true,
		of: func(c *Config) any { return &c.Weights.Importance }},
	{Name: "auto_compact", By: Anybody, Want: Bool(), Default: "true",
		Doc: "whether a write starts a compaction of the store when one is due",
		of:  func(c *Config) any { return &c.AutoCompact }},
	{Name: "memory.inject_mode", By: Person, Default: `"relevant"`, Injecting: true,
		Want: Text(string(readout.NotesRelevant), string(readout.NotesRecent),
			string(readout.NotesOff)),
		Doc: "notes injected into a prompt: " + readout.NoteModes,
		of:  func(c *Config) any { return &c.Memory.InjectMode }},
	{Name: "memory.max_inject_chars", By: Person, Want: Whole(0), Default: "2000", Injecting: true,
		Doc: "greatest number of their characters, and of notes",
		of:  func(c *Config) any { return &c.Memory.MaxInjectChars }},
	{Name: "memory.max_inject_count", By: Person, Want: Whole(0), Default: "10", Injecting: true,
		of: func(c *Config) any { return &c.Memory.MaxInjectCount }},
	{Name: "memory.max_total", By: Person, Want: Whole(1), Default: "500",
		Doc: "greatest number of notes; the oldest are deleted first",
		of:  func(c *Config) any { return &c.Memory.MaxTotal }},
	// Small for a conversation: 2,500 tokens are little over 1 % of a context of 200,000. Of a
	// working month in two repositories (scripts/recall) a start with 1,500, 2,000 or 2,500 and the
	// prompt after it injected 62, 68 or 73 % of the wanted records; readout says what may fill it.
	{Name: "inject.start_tokens", By: Person, Want: Whole(0), Default: "2500", Injecting: true,
		Doc: "tokens that a hook injects at most at the start of a conversation, at a prompt and " +
			"in a sub-agent",
		of: func(c *Config) any { return &c.Inject.StartTokens }},
	{Name: "inject.prompt_tokens", By: Person, Want: Whole(0), Default: "600", Injecting: true,
		of: func(c *Config) any { return &c.Inject.PromptTokens }},
	{Name: "inject.subagent_tokens", By: Person, Want: Whole(0), Default: "400", Injecting: true,
		of: func(c *Config) any { return &c.Inject.SubagentTokens }},
	{Name: "inject.private_tokens", By: Person, Want: Whole(0), Default: "1500", Injecting: true,
		Doc: "tokens injected at most from an agent's own journal and core",
		of:  func(c *Config) any { return &c.Inject.PrivateTokens }},
	{Name: "inject.at_edit", By: Person, Want: Bool(), Default: "true", Injecting: true,
		Doc: "whether memories that name a file are injected when an agent edits it",
		of:  func(c *Config) any { return &c.Inject.AtEdit }},
	{Name: "capture.user", By: Person, Want: Bool(), Default: "true", Injecting: true,
		Doc: "whether a typed prompt that asks to remember something is stored at once",
		of:  func(c *Config) any { return &c.Capture.User }},
	{Name: "capture.propose", By: Person, Want: Bool(), Default: "true", Injecting: true,
		Doc: "whether hooks keep a journal of commands, and propose facts from it and from prompts",
		of:  func(c *Config) any { return &c.Capture.Propose }},
	{Name: "sync.session_end", By: Person, Want: Bool(), Default: "false",
		Doc: "of the user's memory: whether mem sync runs, for at most 2 s in the background, " +
			"when a conversation ends",
		of: func(c *Config) any { return &c.Sync.SessionEnd }},
	{Name: "bundle.share_sessions", By: Answered, Want: Bool(), Default: "false", Reading: true,
		Doc: "whether a bundle may contain other agents' private sessions",
		of:  func(c *Config) any { return &c.Bundle.ShareSessions }},
	// Both are below the limits after which the clients end a hook.
	{Name: "inject.start_ms", By: Person,
		Want: NumberBetween(50, 4000), Default: "3000", Injecting: true,
		Doc: "time limit of a hook, in milliseconds, at the start of a conversation, and at a " +
			"prompt or in a sub-agent",
		of: func(c *Config) any { return &c.Inject.StartMS }},
	{Name: "inject.prompt_ms", By: Person,
		Want: NumberBetween(50, 2000), Default: "1000", Injecting: true,
		of: func(c *Config) any { return &c.Inject.PromptMS }},
	{Name: Chunks, By: Anybody, Want: Bool(), Default: "false",
		Without: "chunks are computed when they are asked for"},
}

// Chunks is a member that older configurations may have.
const Chunks = "postgres.chunks"

func isPrefix(text string) bool {
	_, err := keypath.ParsePrefix(text)
	return err == nil
}
