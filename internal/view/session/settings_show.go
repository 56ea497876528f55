package session

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/settings"
)

// ofSession is the origin of a setting that a session has for itself.
const ofSession = "session"

// SettingsInForce returns what a session may settle for itself with the value in force, in the
// order of [Settings]; of the types each that is known or named, of preferences what the session
// has. The origin is "session", or else that of the store's setting.
func SettingsInForce(ctx context.Context, s *mem.Store, one *Session) (
	list []mem.Setting, err error) {
	f, err := newForce(ctx, s, one)
	if err != nil {
		return nil, err
	}
	for _, m := range Settings() {
		for _, path := range f.pathsOf(m) {
			if x := f.setting(m, path); x.Value != nil {
				list = append(list, x)
			}
		}
	}
	return list, nil
}

// FindSetting returns one of these by its name; null as the value of a preference that the session
// does not have. The error wraps mem.ErrInput.
func FindSetting(ctx context.Context, s *mem.Store, one *Session, name string) (
	x mem.Setting, err error) {
	m, path, err := Settings().Find(name)
	if err != nil {
		return x, settingError(one.ID, err)
	}
	f, err := newForce(ctx, s, one)
	if err != nil {
		return x, err
	}
	if x = f.setting(m, path); x.Value == nil {
		x.Value = json.RawMessage("null")
	}
	return x, nil
}

// force is what settles something for a session: its metadata, and the store.
type force struct {
	kinds []string // of the types that are known or named
	own   []byte   // an object
	conf  *mem.Config
	place settings.Place
}

func newForce(ctx context.Context, s *mem.Store, one *Session) (*force, error) {
	conf, err := s.ConfigToRead(ctx)
	if err != nil {
		return nil, err
	}
	version, err := s.Setting(ctx, "version") // warns of a file that does not count
	if err != nil {
		return nil, err
	}
	return &force{kinds: one.Rules(conf).types(), own: one.members.Object(), conf: conf,
		place: settings.Place{Layer: version.Layer}}, nil
}

// pathsOf returns the paths that a row of the table stands for.
func (f *force) pathsOf(m settings.Member) (paths [][]string) {
	before, after, wild := strings.Cut(m.Name, "."+settings.Any)
	if !wild {
		return [][]string{strings.Split(m.Name, ".")}
	}
	names := f.kinds
	if before == "preferences.custom" {
		names = nil
		for name := range jsontext.Members(settings.Lookup(f.own, strings.Split(before, "."))) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		path := append(strings.Split(before, "."), name)
		if after != "" {
			path = append(path, after[len("."):])
		}
		paths = append(paths, path)
	}
	return paths
}

// setting returns what is in force of a path; without a value for a preference that is not there.
func (f *force) setting(m settings.Member, path []string) mem.Setting {
	x := f.ofStore(m, path)
	x.Name = strings.Join(path, ".")
	said := m.Said(f.own, path)
	if last := path[len(path)-1]; said == nil && last == "half_life_hours" {
		said = m.Said(f.own, []string{path[0], last}) // its own of all types goes before the store's
	}
	if said != nil {
		x.Value, x.Origin = said, ofSession
	}
	return x
}

// ofStore returns what counts where the session settles nothing.
func (f *force) ofStore(m settings.Member, path []string) mem.Setting {
	if m.Like == "" {
		return mem.Setting{Origin: "default", Layer: f.place.Layer, Why: m.Without}
	}
	name := m.Like
	if len(path) > 2 {
		name = strings.Replace(name, settings.Any, path[2], 1)
	}
	x, _ := f.conf.Setting(f.place, name) // the table has it
	return x
}
