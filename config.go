package mem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// ConfigFile is the name of the configuration below the root; it is optional.
const ConfigFile = filestore.ConfigFile

// Config is what a store's owner may set. Every member is optional; one that mem does not know is
// refused by name, so that a misspelt one is not silently without effect. What the file may have
// besides, and that it has no effect, is in [Settings].
type Config struct {
	Rotate    filestore.Limits `json:"rotate"`    // when the live log moves to archive/
	Knowledge []string         `json:"knowledge"` // namespaces besides /kb that need provenance
	Weights   *readout.Weights `json:"weights"`   // of the read without a query
	// AutoCompact is whether a write begins a compaction that is due, see Options.OnCompactionDue.
	AutoCompact bool `json:"auto_compact"`
	// Memory is about notes, under the name that it has in agents' own configurations (N-37).
	Memory NoteLimits `json:"memory"`
	// Inject is about what goes into conversations automatically.
	Inject InjectLimits `json:"inject"`
	// Storage is how large sessions may get (S-48).
	Storage StorageConfig `json:"storage"`
	// Decay is how the memories of sessions lose relevance (S-50).
	Decay DecayConfig `json:"decay"`
	// Postgres is about a store that is a space of PostgreSQL.
	Postgres PostgresConfig `json:"postgres"`

	rules policy.Rules
	said  settings.Values // what the file says
}

// NeedsProvenance reports whether every memory under a key must say in full where it is from.
func (c *Config) NeedsProvenance(key keypath.Key) bool { return c.rules.IsKnowledge(key) }

// NoteLimits are how many notes there may be, and which of them go into a prompt.
type NoteLimits struct {
	InjectMode     readout.NoteMode `json:"inject_mode"`
	MaxInjectChars int              `json:"max_inject_chars"` // code points of the notes' texts
	MaxInjectCount int              `json:"max_inject_count"`
	MaxTotal       int              `json:"max_total"` // live notes; the oldest are deleted first
}

// DefaultNoteLimits are those of N-37.
var DefaultNoteLimits = NoteLimits{InjectMode: readout.NotesRelevant, MaxInjectChars: 2000,
	MaxInjectCount: 10, MaxTotal: 500}

// InjectLimits are what one injection may cost, in tokens, fences included.
type InjectLimits struct {
	StartTokens    int `json:"start_tokens"`
	PromptTokens   int `json:"prompt_tokens"`
	SubagentTokens int `json:"subagent_tokens"`
	PrivateTokens  int `json:"private_tokens"` // of what an agent keeps for itself
}

// PostgresConfig is what a store in PostgreSQL keeps besides the history, for others to ask in SQL.
type PostgresConfig struct {
	Chunks bool `json:"chunks"` // whether its upkeep fills the table of chunks
}

// DefaultInjectLimits are small for a conversation: 2,500 tokens are little over 1 % of a context
// of 200,000. Of a working month in two repositories (scripts/recall) a start with 1,500, 2,000 or
// 2,500 and the prompt after it tell 62, 68 or 73 % of what is wanted.
var DefaultInjectLimits = InjectLimits{StartTokens: 2500, PromptTokens: 600, SubagentTokens: 400,
	PrivateTokens: 1500}

// defaultConfig returns the configuration of a store that has no file.
func defaultConfig() *Config {
	return &Config{
		Rotate: compact.DefaultLimits, AutoCompact: true, Memory: DefaultNoteLimits,
		Inject: DefaultInjectLimits, Storage: DefaultStorageConfig, Decay: DefaultDecayConfig(),
	}
}

// Config returns the content of config.json, which is read again when it changes. It is for what
// writes: the error is a *ConfigError where the file is wrong, for nothing is to be written by
// rules that nobody set. What only reads asks [Store.ConfigToRead].
func (s *Store) Config(ctx context.Context) (*Config, error) {
	s.mu.Lock()
	have := s.version
	if s.conf == nil {
		have = ""
	}
	s.mu.Unlock() // others may ask the store meanwhile
	text, version, err := s.backend.Config(ctx, have)
	if err != nil {
		return nil, err
	}
	if s.opts.ForeignConfig {
		text, version = nil, ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conf != nil && (version == s.version || version == have && version != "") {
		return s.conf, nil // what is known, or what another caller has read since
	}
	c := defaultConfig()
	if version != "" {
		c, err = decodeConfig(text)
	}
	if err != nil {
		return nil, s.configError(err)
	}
	s.conf, s.version = c, version
	return c, nil
}

// ConfigToRead is [Store.Config] for what only reads: where the file is wrong the defaults count,
// and it is warned of once.
func (s *Store) ConfigToRead(ctx context.Context) (*Config, error) {
	c, err := s.Config(ctx)
	wrong := errors.As(err, new(*ConfigError)) || errors.Is(err, disk.ErrIrregular) ||
		errors.Is(err, disk.ErrLarger)
	if !wrong {
		return c, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.warned {
		s.opts.Warn(err.Error() + "; the defaults count for reading, and nothing is written")
		s.warned = true
	}
	return defaultConfig(), nil
}

// decodeConfig returns the configuration that a text is. The error is a *settings.Fault.
func decodeConfig(text []byte) (*Config, error) {
	c := defaultConfig()
	var err error
	if c.said, err = configTable().Read(text); err != nil || len(c.said) == 0 {
		return c, err
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(c); err != nil {
		// The table lets nothing through that the types do not take.
		return nil, &settings.Fault{Line: 1, Why: err.Error()}
	}
	for _, text := range c.Knowledge {
		p, err := keypath.ParsePrefix(text)
		if err != nil {
			return nil, &settings.Fault{Name: "knowledge", Why: err.Error()}
		}
		c.rules.Knowledge = append(c.rules.Knowledge, p)
	}
	return c, nil
}

// ConfigError is what is wrong with config.json, or with what was to be set there;
// errors.Is(err, ErrInput) holds.
type ConfigError struct {
	settings.Fault
	Layer string // whose configuration it is; "" for a store that was named

	path string // of the file; "" where the store keeps none
}

// configError returns what was found in a store's configuration as an error of this package.
func (s *Store) configError(err error) error {
	var fault *settings.Fault
	if !errors.As(err, &fault) {
		return err
	}
	e := &ConfigError{Fault: *fault, Layer: s.layer}
	if s.files != nil {
		e.path = s.Path() + "/" + ConfigFile
	}
	return e
}

func (e *ConfigError) Error() string {
	if e.Line == 0 {
		return e.Fault.Error()
	}
	return ConfigFile + ": " + e.Fault.Error()
}

// Is makes every ConfigError an ErrInput.
func (e *ConfigError) Is(target error) bool { return target == ErrInput }

// Advice returns what puts it right.
func (e *ConfigError) Advice() advice.List {
	near := advice.List{{}}
	if e.Near != "" {
		near = advice.Say("did you mean " + e.Near + "? ")
	}
	set := func(value string) advice.List {
		if e.Layer != "" {
			return near.Run("config", "set", "--layer", e.Layer, e.Name, value)
		}
		return near.Run("config", "set", e.Name, value)
	}
	switch {
	case e.Name == "":
		return advice.Say(fmt.Sprintf("mend line %d of %s", e.Line, e.path))
	case e.Line == 0:
		return near.Run("config", "list").Then(" shows all")
	case e.Near != "" || e.Why == settings.NoMember:
		return set("null").Then(" removes it").
			Also(advice.Run("config", "list").Then(" shows all"))
	}
	return set(e.usual())
}

// usual returns the default of the member that is wrong, as an argument; null where there is none.
func (e *ConfigError) usual() string {
	if m, path, err := configTable().Find(e.Name); err == nil {
		if value := usual(m, path); len(value) > 0 && value[0] != '[' {
			return string(bytes.Trim(value, `"`))
		}
	}
	return "null"
}
