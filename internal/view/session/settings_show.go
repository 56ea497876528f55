package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/settings"
)

// ofSession is the origin of a setting that a session has for itself.
const ofSession = "session"

// SettingsInForce returns the settings of a session of these names, without names all in the order
// of [Settings]: of the types each that is known or named, of preferences those that the session
// has. The origin is "session", or else that of the store's setting. A preference that is named and
// not there is null. The error wraps mem.ErrInput.
func SettingsInForce(ctx context.Context, s *mem.Store, one *Session, names ...string) (
	list []mem.Setting, err error) {
	table := Settings()
	for _, name := range names {
		if _, _, err := table.Find(name); err != nil {
			return nil, settingError(one.ID, err)
		}
	}
	f, err := newForce(ctx, s, one)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		m, path, _ := table.Find(name)
		x := f.setting(m, path)
		if x.Value == nil {
			x.Value = json.RawMessage("null")
		}
		list = append(list, x)
	}
	if len(names) > 0 {
		return list, nil
	}
	for _, m := range table {
		for _, path := range f.pathsOf(m) {
			list = append(list, f.setting(m, path))
		}
	}
	return slices.DeleteFunc(list, func(x mem.Setting) bool { return x.Value == nil }), nil
}

// force is what settles something for a session: its metadata, and the store.
type force struct {
	kinds []string // of the types that are known or named
	own   []byte   // an object
	conf  *mem.Config
	layer string // of the store
}

func newForce(ctx context.Context, s *mem.Store, one *Session) (*force, error) {
	conf, err := s.ConfigToRead(ctx)
	if err != nil {
		return nil, err
	}
	version, err := s.Settings(ctx, "version") // warns of a file that does not count
	if err != nil {
		return nil, err
	}
	return &force{kinds: one.Rules(conf).types(), own: one.members.Object(), conf: conf,
		layer: version[0].Layer}, nil
}

// pathsOf returns the paths that a row of the table stands for.
func (f *force) pathsOf(m settings.Member) [][]string {
	names := f.kinds
	if m.Like == "" {
		names = nil
		custom := settings.Lookup(f.own, []string{"preferences", "custom"})
		for name := range jsontext.Members(custom) {
			names = append(names, name)
		}
	}
	return m.Paths(names)
}

// setting returns the setting in force at a path; without a value for an absent preference.
func (f *force) setting(m settings.Member, path []string) mem.Setting {
	x := f.ofStore(m, path)
	x.Name = strings.Join(path, ".")
	said := m.ValueIn(f.own, path)
	if last := path[len(path)-1]; said == nil && last == "half_life_hours" {
		said = m.ValueIn(f.own, []string{path[0], last}) // it goes before the store's for a type
	}
	if said != nil {
		x.Value, x.Origin = said, ofSession
	}
	return x
}

// ofStore returns what counts where the session settles nothing.
func (f *force) ofStore(m settings.Member, path []string) mem.Setting {
	if m.Like == "" {
		return mem.Setting{Origin: "default", Layer: f.layer, Why: m.Without}
	}
	name := m.Like
	if len(path) > 2 {
		name = strings.Replace(name, settings.Any, path[2], 1)
	}
	list, _ := f.conf.Settings(f.layer, name) // the table has it
	return list[0]
}
