package mem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/readout"
)

// Setting is one member of the configuration as it is in force.
type Setting struct {
	Name    string          `json:"name"` // dotted, as in storage.auto_compact
	Value   json.RawMessage `json:"value"`
	Default json.RawMessage `json:"default"`
	Origin  string          `json:"origin"`        // "default", or "config.json:" and the line
	Effect  bool            `json:"effect"`        // whether the value changes anything
	Why     string          `json:"why,omitempty"` // it has no effect
	Layer   string          `json:"layer,omitempty"`
}

// Text returns the value as people and shells read it: that of a text without quotes.
func (x Setting) Text() string {
	if len(x.Value) > 0 && x.Value[0] == '"' {
		return jsontext.Unquote(x.Value)
	}
	return string(x.Value)
}

// fromDefault is the origin of what no file says.
const fromDefault = "default"

// Settings returns every member of the configuration with the value in force, in the order of the
// documentation; of decay.type_specific those of each type that is known or named. A configuration
// that is wrong is warned of, and that of a repository too: the defaults are in force then.
func (s *Store) Settings(ctx context.Context) (list []Setting, err error) {
	conf, doc, err := s.inForce(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, m := range configTable() {
		for _, path := range pathsOf(m, conf) {
			list = append(list, s.setting(m, path, conf, doc))
		}
	}
	return list, nil
}

// Setting returns the setting of a name. The error is a *ConfigError that names the nearest.
func (s *Store) Setting(ctx context.Context, name string) (found Setting, err error) {
	m, path, err := configTable().Find(name)
	if err != nil {
		return found, s.configError(err)
	}
	conf, doc, err := s.inForce(ctx, path)
	if err != nil {
		return found, err
	}
	return s.setting(m, path, conf, doc), nil
}

// WhyNoEffect returns why a setting of a store changes nothing; "" where it does, or there is none
// of that name.
func (s *Store) WhyNoEffect(name string) string {
	m, _, err := configTable().Find(name)
	if err != nil {
		return ""
	}
	return s.whyNot(m, name)
}

func (s *Store) whyNot(m settings.Member, name string) string {
	if m.Without == "" && s.layer == policy.ProjectLayer && rulesReading(name) {
		return "that of the user layer rules what is read and told"
	}
	if m.Name == chunksMember && s.files != nil {
		return "only a memory in PostgreSQL has tables"
	}
	return m.Without
}

// inForce returns the configuration that counts for reading, also as JSON in which a path is.
func (s *Store) inForce(ctx context.Context, path []string) (c *Config, doc []byte, err error) {
	if c, err = s.ConfigToRead(ctx); err != nil {
		return nil, nil, err
	}
	if s.opts.ForeignConfig {
		s.opts.Warn(ErrForeignConfig.Error())
	}
	doc, err = documentOf(c, path)
	return c, doc, err
}

// documentOf returns a configuration as JSON. Where the path is about a type of memories, that is
// in it, too.
func documentOf(c *Config, path []string) ([]byte, error) {
	whole := *c
	if whole.Weights == nil || *whole.Weights == (readout.Weights{}) {
		whole.Weights = &readout.DefaultWeights
	}
	kinds := slices.Collect(maps.Keys(c.Decay.TypeSpecific))
	if len(path) > 2 && path[1] == "type_specific" {
		kinds = append(kinds, path[2])
	}
	whole.Decay.TypeSpecific = TypeDecays{}
	for _, kind := range kinds {
		t, known := c.Decay.TypeSpecific[kind]
		hours, _ := c.Decay.HalfLife(kind)
		whole.Decay.TypeSpecific[kind] = TypeDecay{hours, t.DecayEnabled || !known}
	}
	if whole.Knowledge == nil {
		whole.Knowledge = []string{}
	}
	return EncodeJSON(whole)
}

// pathsOf returns the paths that a row of the table stands for.
func pathsOf(m settings.Member, c *Config) (paths [][]string) {
	for _, kind := range slices.Sorted(maps.Keys(c.Decay.TypeSpecific)) {
		path := strings.Split(m.Name, ".")
		at := slices.Index(path, settings.Any)
		if at < 0 {
			return [][]string{path}
		}
		path[at] = kind
		paths = append(paths, path)
	}
	return paths
}

func (s *Store) setting(m settings.Member, path []string, c *Config, doc []byte) Setting {
	said, named := c.said.Get(path...)
	x := Setting{Name: strings.Join(path, "."), Layer: s.layer, Origin: fromDefault,
		Default: usual(m, path), Value: lookup(doc, path)}
	if x.Value == nil {
		x.Value = said.Raw
	}
	if x.Value == nil {
		x.Value = x.Default
	}
	// What is not named is another than the default where what stands around it is named.
	for depth := len(path); !named && depth > 0 && !bytes.Equal(x.Value, x.Default); depth-- {
		said, named = c.said.Get(path[:depth]...)
	}
	if named {
		x.Origin = fmt.Sprintf("%s:%d", ConfigFile, said.Line)
	}
	x.Why = s.whyNot(m, x.Name)
	x.Effect = x.Why == ""
	return x
}

// rulesReading reports whether a member is about what is read and told, and nothing else.
func rulesReading(name string) bool {
	return strings.HasPrefix(name, "weights.") || strings.HasPrefix(name, "inject.") ||
		strings.HasPrefix(name, "memory.") && strings.Contains(name, "inject")
}

// usual returns the default of a member; nil where there is none.
func usual(m settings.Member, path []string) []byte {
	doc, err := documentOf(defaultConfig(), path)
	if value := lookup(doc, path); err == nil && value != nil {
		return value
	}
	return []byte(m.Default)
}

// lookup returns the value of a path in a compact document; nil where there is none.
func lookup(doc []byte, path []string) []byte {
	for _, name := range path {
		var next []byte
		for member, value := range jsontext.Members(doc) {
			if member == name {
				next = value
			}
		}
		doc = next
	}
	return doc
}

// SetSetting sets one member of config.json to another value, and reports whether that changed the
// file: arg is JSON, or the bare text of a text; null removes the member, also one that mem does
// not know. All else in the file stays as it is spelled. What the file says after that is judged
// as a whole. Of a wrong file one fault after the other can be mended: with fewer than it had it is
// written, and warned of what is left. Else nothing is written, and the error is a *ConfigError. It
// wraps backend.ErrChanged where somebody else changed the file meanwhile.
func (s *Store) SetSetting(ctx context.Context, c Caller, name, arg string) (changed bool,
	err error) {
	file, ok := s.backend.(backend.Configurer)
	if !ok {
		return false, fmt.Errorf("%w: this store has no configuration of its own", ErrInput)
	}
	if s.opts.ForeignConfig {
		return false, ErrForeignConfig
	}
	op := s.newOperation(c, "config")
	var left error // what is wrong with what is written
	err = file.SetConfig(ctx, c, func(text []byte) ([]byte, error) {
		next, err := changeSetting(text, name, arg)
		if err == nil {
			_, err = decodeConfig(next)
			if left = err; err != nil && faults(next) < faults(text) {
				err = nil
			}
		}
		changed = err == nil && !bytes.Equal(next, text)
		return next, err
	})
	if err = s.configError(err); err == nil && left != nil {
		wrong := s.configError(left)
		s.opts.Warn(wrong.Error() + "; nothing else is written before that is right: " +
			Hint(wrong))
	}
	rec := opRecord{What: redact(clip(name, maxName), name)}
	if changed {
		rec.Count = 1
	}
	op.end(rec, err)
	return changed && err == nil, err
}

// faults counts what is wrong with a text: each member that has to go before the rest is right.
func faults(text []byte) (n int) {
	for ; n <= len(text); n++ {
		_, err := decodeConfig(text)
		var fault *settings.Fault
		if !errors.As(err, &fault) {
			return n
		}
		without, err := settings.Remove(text, fault.Name)
		if err != nil || fault.Name == "" || bytes.Equal(without, text) {
			return len(text) + 1 // it is no object, and no member can be counted
		}
		text = without
	}
	return n
}

// maxName is how many characters of a member's name the journal keeps.
const maxName = 60

// changeSetting returns the text of a configuration with one member changed.
func changeSetting(text []byte, name, arg string) ([]byte, error) {
	m, path, unknown := configTable().Find(name)
	if arg == "null" {
		next, err := settings.Remove(text, name)
		if err == nil && unknown != nil && bytes.Equal(next, text) {
			err = unknown
		}
		return next, err
	}
	if unknown != nil {
		return nil, unknown
	}
	value, err := m.Value(arg)
	if err != nil {
		return nil, err
	}
	return settings.Set(text, path, value)
}
