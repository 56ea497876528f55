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
	"github.com/set-memory/mem/internal/store/filestore"
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

// Place is where a configuration counts.
type Place struct {
	Layer string // of the store; "" for one that was named
	Files bool   // it is a store of files
}

// Settings returns every member with the value in force, in the order of [Members]; of
// decay.type_specific those of each type that is known or named.
func (c *Config) Settings(in Place) (list []Setting) {
	for _, m := range Members {
		kinds := []string{""}
		if m.isOpen() {
			kinds = slices.Sorted(maps.Keys(c.Decay.TypeSpecific))
		}
		for _, kind := range kinds {
			list = append(list, c.setting(in, m, m.path(kind)))
		}
	}
	return list
}

// Setting returns the setting of a name. The error is a [*Fault].
func (c *Config) Setting(in Place, name string) (x Setting, err error) {
	m, path, err := Members.Find(name)
	if err != nil {
		return x, err
	}
	return c.setting(in, m, path), nil
}

func (c *Config) setting(in Place, m Member, path []string) Setting {
	x := Setting{Name: dotted(path), Value: c.value(m, path), Default: m.defaultOf(path),
		Origin: "default", Why: m.WhyNot(in), Layer: in.Layer}
	said, named := c.said.Get(path...)
	// What is not named is another than the default where what stands around it is named.
	for depth := len(path); !named && depth > 0 && !bytes.Equal(x.Value, x.Default); depth-- {
		said, named = c.said.Get(path[:depth]...)
	}
	if named {
		x.Origin = fmt.Sprintf("%s:%d", filestore.ConfigFile, said.Line)
	}
	x.Effect = x.Why == ""
	return x
}

// value returns the value in force of a member.
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

// isOpen reports whether a part of the member's name may be any.
func (m *Member) isOpen() bool { return strings.Contains(m.Name, Any) }

// path returns the names on the way to the member of one type.
func (m *Member) path(kind string) []string {
	path := m.parts()
	if i := slices.Index(path, Any); i >= 0 {
		path[i] = kind
	}
	return path
}

// defaultOf returns the default of a member.
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

// WhyNot returns why a member changes nothing in a place; "" where it does.
func (m *Member) WhyNot(in Place) string {
	switch {
	case m.Reading && in.Layer == policy.ProjectLayer:
		return "that of the user layer rules what is read and told"
	case m.Name == chunks && in.Files:
		return "only a memory in PostgreSQL has tables"
	}
	return m.Without
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
