package session

import (
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
	recentHours = 24         // so long the boost lasts
	recentBoost = 1.5
)

// Rules are the settings in force for one session: its own, and those of the store.
type Rules struct{ Config *mem.Config }

// Rules returns the rules for the session in a store of this configuration. Settings in its
// metadata that another program has malformed count as absent.
func (s *Session) Rules(conf *mem.Config) Rules {
	if s.members.Get("decay_config") == nil && s.members.Get("compaction_config") == nil {
		return Rules{conf}
	}
	return Rules{conf.With(Settings(), s.members.Object())}
}

// HalfLife returns after how many hours a record of a type is half as relevant, and whether it
// decays at all.
func (r Rules) HalfLife(kind string) (hours float64, decays bool) {
	hours, decays = r.Config.Decay.HalfLife(kind)
	return hours, decays && hours > 0
}

// Limit returns how many bytes the session may have.
func (r Rules) Limit() int64 { return r.Config.Storage.Limit() }

// Threshold returns above how many bytes the session is compacted.
func (r Rules) Threshold() int64 {
	return int64(r.Config.Storage.CompactionThreshold * float64(r.Limit()))
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

// Factor returns how much of its importance a record of this type and time has at now, in
// min_decay_factor..1.
func (r Rules) Factor(kind string, at, now log.Stamp) float64 {
	hours, decays := r.HalfLife(kind)
	if !decays {
		return 1
	}
	age := max(0, float64(now-at)/hour)
	return min(1, max(r.Config.Decay.MinDecayFactor, math.Exp2(-age/hours)))
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
	return slices.Sorted(maps.Keys(kinds))
}

func boolean(v bool) []byte { return strconv.AppendBool(nil, v) }

func float(v float64) []byte { return strconv.AppendFloat(nil, v, 'g', -1, 64) }

// plainFloat is float for people: without an exponent.
func plainFloat(v float64) []byte { return strconv.AppendFloat(nil, v, 'f', -1, 64) }
