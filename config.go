package mem

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/readout"
)

// ConfigFile is its name below the root; it is optional.
const ConfigFile = "config.json"

// Config is what a store's owner may set. Every member is optional; one that mem does not know is refused by name, so that
// a misspelt one is not silently without effect.
type Config struct {
	Rotate    compact.Limits   `json:"rotate"`    // when the live log moves to archive/
	Knowledge []string         `json:"knowledge"` // namespaces beside /kb whose keys need provenance
	Weights   *readout.Weights `json:"weights"`   // of the read without a query
	// AutoCompact says whether a write that finds a compaction due has it begun, see Options.Due.
	AutoCompact bool `json:"auto_compact"`
	// Memory is about notes, under the name that agents' own configurations have for it (N-37).
	Memory NoteLimits `json:"memory"`
	// Inject is about what goes into conversations by itself.
	Inject InjectLimits `json:"inject"`

	rules policy.Rules
}

// NoteLimits say how many notes there may be, and which of them go into a prompt.
type NoteLimits struct {
	InjectMode     readout.NoteMode `json:"inject_mode"`
	MaxInjectChars int              `json:"max_inject_chars"` // code points of the notes' texts
	MaxInjectCount int              `json:"max_inject_count"`
	MaxTotal       int              `json:"max_total"` // live notes; the oldest make room
}

// DefaultNoteLimits are those of N-37.
var DefaultNoteLimits = NoteLimits{InjectMode: readout.NotesRelevant, MaxInjectChars: 2000, MaxInjectCount: 10, MaxTotal: 500}

func (l NoteLimits) check() error {
	switch {
	case !l.InjectMode.Known():
		return fmt.Errorf("%s: %w: memory.inject_mode %q: want %s", ConfigFile, ErrInput, l.InjectMode, readout.NoteModes)
	case l.MaxInjectChars < 0 || l.MaxInjectCount < 0:
		return fmt.Errorf("%s: %w: memory.max_inject_chars and memory.max_inject_count must not be below 0", ConfigFile, ErrInput)
	case l.MaxTotal < 1:
		return fmt.Errorf("%s: %w: memory.max_total must be above 0", ConfigFile, ErrInput)
	}
	return nil
}

// Config reads config.json, once. The error wraps ErrInput and names the file.
func (s *Store) Config() (*Config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conf != nil {
		return s.conf, nil
	}
	c := &Config{Rotate: compact.DefaultLimits, AutoCompact: true, Memory: DefaultNoteLimits, Inject: DefaultInjectLimits}
	if s.root() != nil {
		text, err := s.root().ReadFile(ConfigFile, 1<<20)
		if err == nil {
			err = c.decode(text)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	s.conf = c
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
		return fmt.Errorf("%s: %w: rotate.lines and rotate.bytes must be above 0", ConfigFile, ErrInput)
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

// parseRules gives what policy needs of the configuration.
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
