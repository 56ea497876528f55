package session

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

const (
	hour        = 3600 * 1e6 // in microseconds, as a log.Stamp has it
	recentHours = 24         // so long the boost lasts (S-28)
	recentBoost = 1.5
)

// Overrides are what a session settles otherwise than config.json (S-52). What is nil is as there.
type Overrides struct {
	Decay      DecayOverride      `json:"decay_config"`
	Compaction CompactionOverride `json:"compaction_config"`
}

// DecayOverride is a session's decay_config.
type DecayOverride struct {
	Enabled        *bool                   `json:"enabled"`
	HalfLifeHours  *float64                `json:"half_life_hours"`
	MinDecayFactor *float64                `json:"min_decay_factor"`
	TypeSpecific   map[string]TypeOverride `json:"type_specific"`
}

// TypeOverride is what a session settles for one type.
type TypeOverride struct {
	HalfLifeHours *float64 `json:"half_life_hours"`
	DecayEnabled  *bool    `json:"decay_enabled"`
}

// CompactionOverride is a session's compaction_config.
type CompactionOverride struct {
	AutoCompact *bool    `json:"auto_compact"`
	Threshold   *float64 `json:"threshold"`
}

// isEmpty reports whether everything is as config.json has it.
func (d *DecayOverride) isEmpty() bool {
	return d.Enabled == nil && d.HalfLifeHours == nil && d.MinDecayFactor == nil &&
		len(d.TypeSpecific) == 0
}

// parseOverrides returns what the metadata of a session settles. What is malformed there, by other
// hands, counts as absent.
func parseOverrides(metadata []byte) (o Overrides) {
	if json.Unmarshal(metadata, &o) != nil {
		return Overrides{}
	}
	return o
}

// Rules are what is in force for one session: its own settings, and those of the store.
type Rules struct {
	Config *mem.Config
	Own    Overrides
}

// HalfLife returns after how many hours a record of a type is half as relevant, and whether it
// decays at all.
func (r Rules) HalfLife(kind string) (hours float64, decays bool) {
	hours, decays = r.Config.Decay.HalfLife(kind)
	own := r.Own.Decay
	if own.HalfLifeHours != nil {
		hours = *own.HalfLifeHours
	}
	of := own.TypeSpecific[kind]
	if of.HalfLifeHours != nil {
		hours = *of.HalfLifeHours
	}
	if own.Enabled != nil {
		_, decays = onlyTypes(r.Config.Decay).HalfLife(kind)
		decays = decays && *own.Enabled
	}
	if of.DecayEnabled != nil {
		decays = *of.DecayEnabled && r.enabled()
	}
	return hours, decays && hours > 0
}

// onlyTypes returns a configuration in which nothing but a type can be without decay.
func onlyTypes(c mem.DecayConfig) *mem.DecayConfig {
	c.Enabled = true
	return &c
}

func (r Rules) enabled() bool {
	if r.Own.Decay.Enabled != nil {
		return *r.Own.Decay.Enabled
	}
	return r.Config.Decay.Enabled
}

func (r Rules) minFactor() float64 {
	if r.Own.Decay.MinDecayFactor != nil {
		return *r.Own.Decay.MinDecayFactor
	}
	return r.Config.Decay.MinDecayFactor
}

// Limit returns how many bytes the session may have.
func (r Rules) Limit() int64 { return r.Config.Storage.Limit() }

// Threshold returns above how many bytes the session is compacted.
func (r Rules) Threshold() int64 { return int64(r.threshold() * float64(r.Limit())) }

// threshold returns that as a part of the limit.
func (r Rules) threshold() float64 {
	if own := r.Own.Compaction.Threshold; own != nil {
		return *own
	}
	return r.Config.Storage.CompactionThreshold
}

// AutoCompact reports whether the session is compacted by itself.
func (r Rules) AutoCompact() bool {
	if r.Own.Compaction.AutoCompact != nil {
		return *r.Own.Compaction.AutoCompact
	}
	return r.Config.Storage.AutoCompact
}

// Parts are what the relevance of a record is made of.
type Parts struct {
	Importance float64 // 0..1
	Decay      float64 // min_decay_factor..1
	Boost      float64 // 1 or 1.5
	Match      float64 // 0..1
}

// Relevance returns the product of the parts: 0..1.5.
func (p Parts) Relevance() float64 { return p.Importance * p.Decay * p.Boost * p.Match }

// Parts returns what the relevance of a record of this type, time and importance is made of at now;
// match is its score as a share of the best.
func (r Rules) Parts(kind string, at, now log.Stamp, importance, match float64) Parts {
	return Parts{importance, r.Factor(kind, at, now), boost(at, now), match}
}

// PartsOf is [Rules.Parts] of a record.
func (r Rules) PartsOf(rec log.Record, now log.Stamp, match float64) Parts {
	f := content.Parse(rec.Content)
	return r.Parts(f.Type, f.Time(rec.TS), now, f.Importance, match)
}

// Factor returns how much of its importance a record of this type and time has at now (S-29), in
// min_decay_factor..1.
func (r Rules) Factor(kind string, at, now log.Stamp) float64 {
	hours, decays := r.HalfLife(kind)
	if !decays {
		return 1
	}
	age := max(0, float64(now-at)/hour)
	return min(1, max(r.minFactor(), math.Exp2(-age/hours)))
}

func boost(at, now log.Stamp) float64 {
	if float64(now-at)/hour < recentHours {
		return recentBoost
	}
	return 1
}

// types returns the types that have a half-life of their own, and those of records.
func (r Rules) types() []string {
	kinds := map[string]bool{}
	for _, t := range Types {
		kinds[t.Type] = true
	}
	for kind := range r.Config.Decay.TypeSpecific {
		kinds[kind] = true
	}
	for kind := range r.Own.Decay.TypeSpecific {
		kinds[kind] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

func boolean(v bool) []byte { return strconv.AppendBool(nil, v) }

func float(v float64) []byte { return strconv.AppendFloat(nil, v, 'g', -1, 64) }

// plainFloat is float for people: without an exponent.
func plainFloat(v float64) []byte { return strconv.AppendFloat(nil, v, 'f', -1, 64) }
