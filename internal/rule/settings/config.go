package settings

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// Config is the configuration of a store. [Members] says for each field what it is, what it may be,
// and what it is by default.
type Config struct {
	Rotate      backend.Limits
	AutoCompact bool
	Rules       policy.Rules    // with the namespaces besides /kb that need provenance
	Weights     readout.Weights // of the read without a query
	Memory      NoteLimits
	Inject      InjectLimits
	Capture     CaptureRules
	Bundle      BundleRules
	Sync        SyncRules
	Storage     StorageConfig
	Decay       DecayConfig

	said Values // what the file says
}

// NoteLimits are how many notes there may be, and which of them go into a prompt.
type NoteLimits struct {
	InjectMode     readout.NoteMode
	MaxInjectChars int // code points of the notes' texts
	MaxInjectCount int
	MaxTotal       int // live notes; the oldest are deleted first
}

// InjectLimits are what one injection may cost: in tokens, fences included, and in milliseconds.
type InjectLimits struct {
	StartTokens, PromptTokens, SubagentTokens, PrivateTokens int

	AtEdit bool // memories that name a file are injected where an agent is about to edit it

	StartMS, PromptMS float64 // a prompt's is also a sub-agent's
}

// CaptureRules are what hooks keep of a person's work, see package intake.
type CaptureRules struct {
	User    bool // a prompt that asks for it is stored at once
	Propose bool // facts are proposed
}

// SyncRules are when the user's own memory is exchanged with other machines by itself.
type SyncRules struct{ SessionEnd bool }

// BundleRules are what a bundle may have of other agents.
type BundleRules struct{ ShareSessions bool }

// StorageConfig is how large a session may get, and what happens then.
type StorageConfig struct {
	MaxSessionSizeMB    float64 // MiB; it may have a fraction
	CompactionThreshold float64 // the part of that from which on a session is compacted
	AutoCompact         bool
}

// Limit returns how many bytes a session may hold.
func (c StorageConfig) Limit() int64 {
	return int64(min(c.MaxSessionSizeMB*(1<<20), math.MaxInt64/4))
}

// Warning returns a warning of what the file says and no store heeds any more; "" for none.
func (c *Config) Warning() string {
	m, path, _ := Members.Find(Chunks)
	v, named := c.said.Get(path...)
	if !named {
		return ""
	}
	return fmt.Sprintf("%s: line %d: %s no longer has an effect: %s", backend.ConfigFile, v.Line,
		m.Name, m.Without)
}

// DecayConfig is how the memories of sessions lose relevance as they grow old.
type DecayConfig struct {
	Enabled        bool
	HalfLifeHours  float64 // of every type that TypeSpecific has no half-life for
	MinDecayFactor float64 // the factor that age makes no smaller
	MinRelevance   float64 // a compaction drops memories below it
	TypeSpecific   map[string]TypeDecay
}

// TypeDecay is how the memories of one type lose relevance.
type TypeDecay struct {
	HalfLifeHours float64 // 0: that of all types
	DecayEnabled  bool
}

// HalfLife returns the half-life of a type in hours, and whether it decays at all.
func (d *DecayConfig) HalfLife(kind string) (hours float64, decays bool) {
	if t, ok := d.TypeSpecific[kind]; ok {
		return cmp.Or(t.HalfLifeHours, d.HalfLifeHours), d.Enabled && t.DecayEnabled
	}
	return d.HalfLifeHours, d.Enabled
}

// NeedsProvenance reports whether every memory under a key must say in full where it is from.
func (c *Config) NeedsProvenance(key keypath.Key) bool { return c.Rules.IsKnowledge(key) }

// Default returns the configuration of a store that has no file. It decodes no JSON, for every
// process asks for it. The caller may change it.
func Default() *Config {
	c := &Config{Decay: DecayConfig{TypeSpecific: map[string]TypeDecay{}}}
	for i := range Members {
		m := &Members[i]
		for _, k := range m.Kinds {
			m.fill(c, k.Name, k.Default)
		}
		if !m.isOpen() {
			m.fill(c, "", m.Default)
		}
	}
	return c
}

// Parse returns the configuration that a text is. The error is a [*Fault].
func Parse(text []byte) (*Config, error) {
	c := Default()
	var err error
	if c.said, err = Members.Read(text); err != nil {
		return nil, err
	}
	if _, named := c.said.Get("weights"); named {
		c.Weights = readout.Weights{} // a file that names one names all
	}
	for _, v := range c.said {
		m, found, _ := Members.rowAt(v.Path)
		kind := kindIn(v.Path)
		switch {
		case found:
			m.fill(c, kind, string(v.Raw))
		case kind != "":
			c.Decay.TypeSpecific[kind] = c.Decay.named(kind)
		}
	}
	return c, nil
}

// With returns the configuration with what an object says in the members of a table, each in the
// place of the member of c that it is like. A malformed value counts as absent. A half-life of all
// types goes before those of c for one type.
func (c *Config) With(t Table, object []byte) *Config {
	own := *c
	own.Decay.TypeSpecific = maps.Clone(c.Decay.TypeSpecific)
	for _, m := range t {
		like, _, err := Members.Find(m.Like)
		if err != nil {
			continue
		}
		var kinds []string
		if before, _, open := strings.Cut(m.Name, "."+Any); open {
			for kind := range jsontext.Members(Lookup(object, strings.Split(before, "."))) {
				own.Decay.TypeSpecific[kind] = own.Decay.named(kind)
				kinds = append(kinds, kind)
			}
		}
		for _, path := range m.Paths(kinds) {
			if said := m.ValueIn(object, path); said != nil {
				own.Decay.yield(like.Name)
				like.fill(&own, kindIn(path), string(said))
			}
		}
	}
	return &own
}

// InProject returns the configuration with what that of a project says of injection.
func (c *Config) InProject(project *Config) *Config {
	with := *c
	for _, v := range project.said {
		if m, found, _ := Members.rowAt(v.Path); found && m.Injecting {
			m.fill(&with, "", string(v.Raw))
		}
	}
	return &with
}

// yield lets each type have the half-life of all, where that is set.
func (d *DecayConfig) yield(set string) {
	for kind, t := range d.TypeSpecific {
		if set == "decay.half_life_hours" {
			t.HalfLifeHours = 0
			d.TypeSpecific[kind] = t
		}
	}
}

// kindIn returns the type that a path names; "" for none.
func kindIn(path []string) string {
	if len(path) > 2 {
		return path[2]
	}
	return ""
}

func (d *DecayConfig) named(kind string) TypeDecay {
	t, known := d.TypeSpecific[kind]
	t.DecayEnabled = t.DecayEnabled || !known
	return t
}

// fill sets the field of a member, of a type where its name is open, to a value that it may have.
func (m *Member) fill(c *Config, kind, value string) {
	switch {
	case m.of != nil:
		store(m.of(c), value)
	case m.ofType != nil:
		t := c.Decay.named(kind)
		store(m.ofType(&t), value)
		c.Decay.TypeSpecific[kind] = t
	}
}

// store parses a value of the type that a pointer is to; the table wants nothing else.
func store(field any, value string) {
	switch p := field.(type) {
	case *bool:
		*p = value == "true"
	case *int:
		*p, _ = strconv.Atoi(value)
	case *int64:
		*p, _ = strconv.ParseInt(value, 10, 64)
	case *float64:
		*p, _ = strconv.ParseFloat(value, 64)
	case *readout.NoteMode:
		*p = readout.NoteMode(jsontext.Unquote([]byte(value)))
	case *[]keypath.Prefix:
		*p = nil
		for e := range jsontext.Elements([]byte(value)) {
			prefix, _ := keypath.ParsePrefix(jsontext.Unquote(e))
			*p = append(*p, prefix)
		}
	}
}
