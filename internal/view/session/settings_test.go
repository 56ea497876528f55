package session_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
	"pgregory.net/rapid"
)

// settable are settings of a session with values that they may get.
var settable = map[string][]string{
	"decay_config.enabled":                                    {"true", "false"},
	"decay_config.half_life_hours":                            {"1", "336"},
	"decay_config.min_decay_factor":                           {"0", "0.25"},
	"decay_config.type_specific.finding.half_life_hours":      {"2.5", "24"},
	"decay_config.type_specific.conversation.half_life_hours": {"3"},
	"decay_config.type_specific.preference.decay_enabled":     {"true", "false"},
	"decay_config.type_specific.conversation.decay_enabled":   {"true", "false"},
	"compaction_config.auto_compact":                          {"true", "false"},
	"compaction_config.threshold":                             {"0.5", "0.95"},
	"preferences.language":                                    {`"de"`},
	"preferences.custom.tone":                                 {`"dry"`, `"a.b"`},
}

// Whatever is set and taken back: what is listed is what the rules go by, and its origin says
// whether the session has it for itself.
func TestSettingsInForceAreThoseOfTheRules(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		f := &fixture{Store: s}
		s.Configure(`{"decay":{"type_specific":{"finding":{"half_life_hours":7}}},` +
			`"storage":{"compaction_threshold":0.7}}`)
		rapid.Check(t, func(rt *rapid.T) {
			id, err := session.Create(ctx, s.Store, none, session.CreateOptions{})
			s.Must(err)
			f.id = id
			own := f.settle(rt)
			one, err := session.Load(ctx, s.Store, none, id)
			s.Must(err)
			list, err := session.SettingsInForce(ctx, s.Store, one)
			s.Must(err)
			sameOrigins(rt, list, own)
			inForce, err := session.InForce(ctx, s.Store, one)
			s.Must(err)
			sameValues(rt, list, inForce)
		})
	})
}

// settle sets settings, or takes them back, and returns what the session has then.
func (f *fixture) settle(t *rapid.T) map[string]string {
	own := map[string]string{}
	names := rapid.SampledFrom(slices.Sorted(maps.Keys(settable)))
	for range rapid.IntRange(0, 8).Draw(t, "changes") {
		name := names.Draw(t, "name")
		value := rapid.SampledFrom(append([]string{"null"}, settable[name]...)).Draw(t, "value")
		changed, err := session.Configure(ctx, f.Store.Store, none, f.id, name, value)
		f.Must(err)
		was, had := own[name]
		if own[name] = value; value == "null" {
			delete(own, name)
		}
		if now, has := own[name]; changed != (had != has || was != now) {
			t.Fatalf("%s %s after %q: changed is %v", name, value, was, changed)
		}
	}
	return own
}

func sameOrigins(t *rapid.T, list []mem.Setting, own map[string]string) {
	listed := map[string]bool{}
	for _, x := range list {
		want, has := own[x.Name]
		_, general := own["decay_config.half_life_hours"]
		if !has && general && strings.HasSuffix(x.Name, "half_life_hours") {
			want, has = own["decay_config.half_life_hours"], true
		}
		if has != (x.Origin == "session") || has && string(x.Value) != want {
			t.Errorf("%s is %s of %s, want %q", x.Name, x.Value, x.Origin, want)
		}
		listed[x.Name] = true
	}
	for name := range own {
		if !listed[name] {
			t.Errorf("%s is not listed", name)
		}
	}
}

// sameValues compares what is listed with what the rules go by.
func sameValues(t *rapid.T, list []mem.Setting, inForce []byte) {
	var rules struct {
		Decay struct {
			Enabled bool    `json:"enabled"`
			Least   float64 `json:"min_decay_factor"`
			Types   map[string]struct {
				Hours   *float64 `json:"half_life_hours"`
				Enabled *bool    `json:"decay_enabled"`
			} `json:"type_specific"`
		} `json:"decay_config"`
		Compaction struct {
			Auto      bool    `json:"auto_compact"`
			Threshold float64 `json:"threshold"`
		} `json:"compaction_config"`
	}
	if err := json.Unmarshal(inForce, &rules); err != nil {
		t.Fatal(err)
	}
	value := map[string]any{}
	for _, x := range list {
		var v any
		if err := json.Unmarshal(x.Value, &v); err != nil {
			t.Fatal(err)
		}
		value[x.Name] = v
	}
	want := map[string]any{
		"decay_config.enabled":           rules.Decay.Enabled,
		"decay_config.min_decay_factor":  rules.Decay.Least,
		"compaction_config.auto_compact": rules.Compaction.Auto,
		"compaction_config.threshold":    rules.Compaction.Threshold,
	}
	for kind, of := range rules.Decay.Types {
		name := "decay_config.type_specific." + kind
		decays := value[name+".decay_enabled"] == true && rules.Decay.Enabled
		if decays != (of.Hours != nil) {
			t.Errorf("%s decays: %v, the rules say %+v", kind, decays, of)
		}
		if of.Hours != nil {
			want[name+".half_life_hours"] = *of.Hours
		}
	}
	for name, v := range want {
		if value[name] != v {
			t.Errorf("%s is listed as %v, the rules go by %v", name, value[name], v)
		}
	}
}
