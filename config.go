package mem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/filestore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/readout"
)

// ConfigFile is the name of the configuration below the root; it is optional.
const ConfigFile = filestore.ConfigFile

// Config is what a store's owner may set. Every member is optional; one that mem does not know is
// refused by name, so that a misspelt one is not silently without effect.
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

	rules policy.Rules
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

func (l NoteLimits) check() error {
	switch {
	case !l.InjectMode.Known():
		return fmt.Errorf("%s: %w: memory.inject_mode %q: want %s", ConfigFile, ErrInput,
			l.InjectMode, readout.NoteModes)
	case l.MaxInjectChars < 0 || l.MaxInjectCount < 0:
		return fmt.Errorf("%s: %w: memory.max_inject_chars and memory.max_inject_count "+
			"must not be below 0", ConfigFile, ErrInput)
	case l.MaxTotal < 1:
		return fmt.Errorf("%s: %w: memory.max_total must be above 0", ConfigFile, ErrInput)
	}
	return nil
}

// Config returns the content of config.json, which is read again when it changes. The error wraps
// ErrInput and names the file.
func (s *Store) Config(ctx context.Context) (*Config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.version
	if s.conf == nil {
		have = ""
	}
	text, version, err := s.backend.Config(ctx, have)
	if err != nil {
		return nil, err
	}
	if s.opts.ForeignConfig {
		text, version = nil, ""
	}
	if s.conf != nil && version == s.version {
		return s.conf, nil
	}
	c := &Config{
		Rotate: compact.DefaultLimits, AutoCompact: true, Memory: DefaultNoteLimits,
		Inject: DefaultInjectLimits,
	}
	if version != "" {
		err = c.decode(text)
	}
	if err != nil {
		return nil, err
	}
	s.conf, s.version = c, version
	return c, nil
}

func (c *Config) decode(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(c)
	if err == nil && d.More() {
		err = errors.New("more text after the object")
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", ConfigFile, ErrInput, err)
	}
	if c.Rotate.Lines <= 0 || c.Rotate.Bytes <= 0 {
		return fmt.Errorf("%s: %w: rotate.lines and rotate.bytes must be above 0", ConfigFile,
			ErrInput)
	}
	if c.Weights != nil && !c.Weights.Sane() {
		return fmt.Errorf("%s: %w: weights must be numbers from 0 to 1000", ConfigFile, ErrInput)
	}
	if err := errors.Join(c.Memory.check(), c.Inject.check()); err != nil {
		return err
	}
	c.rules, err = c.parseRules()
	return err
}

// InjectLimits are what one injection may cost, in tokens, fences included.
type InjectLimits struct {
	StartTokens    int `json:"start_tokens"`
	PromptTokens   int `json:"prompt_tokens"`
	SubagentTokens int `json:"subagent_tokens"`
	PrivateTokens  int `json:"private_tokens"` // of what an agent keeps for itself
}

// DefaultInjectLimits are small for a conversation: 1,500 tokens are under 1 % of a context of
// 200,000.
var DefaultInjectLimits = InjectLimits{StartTokens: 1500, PromptTokens: 600, SubagentTokens: 400,
	PrivateTokens: 1500}

func (l InjectLimits) check() error {
	if min(l.StartTokens, l.PromptTokens, l.SubagentTokens, l.PrivateTokens) < 0 {
		return fmt.Errorf("%s: %w: the limits of inject must not be below 0", ConfigFile, ErrInput)
	}
	return nil
}

// parseRules returns what policy needs of the configuration.
func (c *Config) parseRules() (r policy.Rules, err error) {
	for _, text := range c.Knowledge {
		p, err := keypath.ParsePrefix(text)
		if err != nil {
			return r, fmt.Errorf("%s: knowledge: %w", ConfigFile, err)
		}
		r.Knowledge = append(r.Knowledge, p)
	}
	return r, nil
}
