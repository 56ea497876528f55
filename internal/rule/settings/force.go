package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
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
func (x Setting) Text() string { return text(x.Value) }

func text(value []byte) string {
	if len(value) > 0 && value[0] == '"' {
		return jsontext.Unquote(value)
	}
	return string(value)
}

// Settings returns the members of these names with the value in force in a store of a layer;
// without names every one, in the order of [Members], of decay.type_specific those of each type
// that is known or named. The error is a [*Fault].
func (c *Config) Settings(layer string, names ...string) (list []Setting, err error) {
	for _, name := range names {
		m, path, err := Members.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, c.setting(layer, m, path))
	}
	if len(names) > 0 {
		return list, nil
	}
	kinds := slices.Sorted(maps.Keys(c.Decay.TypeSpecific))
	for _, m := range Members {
		for _, path := range m.Paths(kinds) {
			list = append(list, c.setting(layer, m, path))
		}
	}
	return list, nil
}

func (c *Config) setting(layer string, m Member, path []string) Setting {
	x := Setting{Name: dotted(path), Value: c.value(m, path), Default: m.defaultOf(path),
		Origin: "default", Why: m.WhyNot(layer), Layer: layer}
	said, named := c.said.Get(path...)
	// A member that the file leaves out differs from the default through an object that it names.
	for depth := len(path); !named && depth > 0 && !bytes.Equal(x.Value, x.Default); depth-- {
		said, named = c.said.Get(path[:depth]...)
	}
	if named {
		x.Origin = fmt.Sprintf("%s:%d", backend.ConfigFile, said.Line)
	}
	x.Effect = x.Why == ""
	return x
}

func (c *Config) value(m Member, path []string) []byte {
	said, named := c.said.Get(path...)
	_, weights := c.said.Get("weights")
	weights = weights && path[0] == "weights"
	switch {
	case weights && c.Weights == (readout.Weights{}):
		return []byte(m.Default) // weights that are all 0 are those of nobody
	case named:
		return said.Raw
	case weights:
		return []byte("0")
	case m.kindDefault(path) == "":
		like, of, _ := Members.Find(m.Like)
		return c.value(like, of)
	}
	return m.defaultOf(path)
}

func (m *Member) isOpen() bool { return strings.Contains(m.Name, Any) }

// Paths returns the paths that the member stands for, with these in place of any.
func (m *Member) Paths(names []string) (list [][]string) {
	if !m.isOpen() {
		return [][]string{m.parts()}
	}
	for _, name := range names {
		path := m.parts()
		path[slices.Index(path, Any)] = name
		list = append(list, path)
	}
	return list
}

func (m *Member) defaultOf(path []string) []byte {
	value := m.kindDefault(path)
	if like, of, err := Members.Find(m.Like); value == "" && err == nil {
		return like.defaultOf(of)
	}
	return []byte(value)
}

// kindDefault returns the default of a member for its type, else that of all types.
func (m *Member) kindDefault(path []string) string {
	for _, k := range m.Kinds {
		if slices.Contains(path, k.Name) {
			return k.Default
		}
	}
	return m.Default
}

// WhyNot returns why a member changes nothing in a store of a layer; "" where it does.
func (m *Member) WhyNot(layer string) string {
	if m.Reading && layer == policy.ProjectLayer {
		return "both layers are ranked by the weights of the user layer"
	}
	return m.Without
}

// WhyNot returns why the member of a name changes nothing in the store of a layer; "" where it
// does, or no member has the name.
func (t Table) WhyNot(name, layer string) string {
	m, _, _ := t.Find(name)
	return m.WhyNot(layer)
}

// Usual returns the default of a name as an argument; null where there is none, or a list.
func Usual(name string) string {
	if m, path, err := Members.Find(name); err == nil {
		if value := m.defaultOf(path); len(value) > 0 && value[0] != '[' {
			return text(value)
		}
	}
	return null
}
