package mem

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// StorageConfig is how large a session may get, and what happens then (S-48).
type StorageConfig struct {
	// MaxSessionSizeMB is how many MiB a session may hold. It may have a fraction.
	MaxSessionSizeMB float64 `json:"max_session_size_mb"`
	// CompactionThreshold is the part of that, 0 to 1, from which on a session is compacted.
	CompactionThreshold float64 `json:"compaction_threshold"`
	// AutoCompact is whether a session that is so full is compacted by itself.
	AutoCompact bool `json:"auto_compact"`
}

// DefaultStorageConfig is that of S-48.
var DefaultStorageConfig = StorageConfig{
	MaxSessionSizeMB: 10, CompactionThreshold: 0.9, AutoCompact: true,
}

// Limit returns how many bytes a session may hold.
func (c StorageConfig) Limit() int64 {
	return int64(min(c.MaxSessionSizeMB*(1<<20), math.MaxInt64/4))
}

// DecayConfig is how the memories of sessions lose relevance as they grow old (S-50).
type DecayConfig struct {
	Enabled bool `json:"enabled"`
	// HalfLifeHours is that of every type that TypeSpecific has no half-life for.
	HalfLifeHours float64 `json:"half_life_hours"`
	// MinDecayFactor is the factor, 0 to 1, that age makes no smaller.
	MinDecayFactor float64 `json:"min_decay_factor"`
	// MinRelevance is the relevance, 0 to 1, below which the compaction of a session drops a
	// memory.
	MinRelevance float64 `json:"min_relevance"`
	// TypeSpecific has what differs, by the type of a memory.
	TypeSpecific TypeDecays `json:"type_specific"`
}

// TypeDecay is how the memories of one type lose relevance.
type TypeDecay struct {
	HalfLifeHours float64 `json:"half_life_hours"` // 0: that of all types
	DecayEnabled  bool    `json:"decay_enabled"`
}

// TypeDecays has how memories lose relevance, by their type.
type TypeDecays map[string]TypeDecay

// DefaultDecayConfig returns that of S-50. The caller may change it.
func DefaultDecayConfig() DecayConfig {
	return DecayConfig{
		Enabled: true, HalfLifeHours: 168, MinDecayFactor: 0.1, MinRelevance: 0.05,
		TypeSpecific: TypeDecays{
			"conversation": {HalfLifeHours: 168, DecayEnabled: true},
			"decision":     {HalfLifeHours: 720, DecayEnabled: true},
			"finding":      {HalfLifeHours: 336, DecayEnabled: true},
			"preference":   {DecayEnabled: false},
		},
	}
}

// HalfLife returns after how many hours a memory of a type is half as relevant, and whether it
// loses relevance at all.
func (d *DecayConfig) HalfLife(kind string) (hours float64, decays bool) {
	if t, ok := d.TypeSpecific[kind]; ok {
		return cmp.Or(t.HalfLifeHours, d.HalfLifeHours), d.Enabled && t.DecayEnabled
	}
	return d.HalfLifeHours, d.Enabled
}

// UnmarshalJSON adds what a text says of some types to what the map has: the other types stay, and
// of these what the text does not name. The map that it was is not changed.
func (t *TypeDecays) UnmarshalJSON(text []byte) error {
	merged := maps.Clone(*t)
	if merged == nil {
		merged = TypeDecays{}
	}
	text, err := jsontext.Compact(nil, text)
	for kind, raw := range jsontext.Members(text) {
		one, ok := merged[kind]
		if !ok {
			one.DecayEnabled = true
		}
		if err := json.Unmarshal(raw, &one); err != nil {
			return err
		}
		merged[kind] = one
	}
	*t = merged
	return err
}
