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
			if x := f.setting(path); x.Value != nil {
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
	_, path, err := Settings().Find(name)
	if err != nil {
		return x, settingError(one.ID, err)
	}
	f, err := newForce(ctx, s, one)
	if err != nil {
		return x, err
	}
	if x = f.setting(path); x.Value == nil {
		x.Value = json.RawMessage("null")
	}
	return x, nil
}

// force is what settles something for a session: its metadata, and the store.
type force struct {
	kinds []string // of the types that are known or named
	own   []byte   // an object
	store map[string]mem.Setting
}

func newForce(ctx context.Context, s *mem.Store, one *Session) (*force, error) {
	conf, err := s.ConfigToRead(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	f := &force{kinds: Rules{Config: conf, Own: one.Own}.types(), own: one.members.Object(),
		store: map[string]mem.Setting{}}
	for _, x := range list {
		f.store[x.Name] = x
	}
	if json.Unmarshal(f.own, &Overrides{}) != nil {
		f.own = []byte("{}") // as parseOverrides has it
	}
	return f, nil
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
		for name := range jsontext.Members(f.said(strings.Split(before, "."))) {
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
func (f *force) setting(path []string) mem.Setting {
	x := f.ofStore(path)
	x.Name = strings.Join(path, ".")
	said := f.said(path)
	if last := path[len(path)-1]; said == nil && last == "half_life_hours" {
		said = f.said([]string{path[0], last}) // its own of all types goes before the store's
	}
	if said != nil {
		x.Value, x.Origin = said, ofSession
	}
	return x
}

// ofStore returns what counts where the session settles nothing.
func (f *force) ofStore(path []string) mem.Setting {
	name := strings.Join(path, ".")
	switch of, rest, _ := strings.Cut(name, "."); {
	case of == "preferences":
		return mem.Setting{Origin: "default", Layer: f.store["version"].Layer,
			Why: "it is for programs that ask; mem goes by it nowhere"}
	case name == "compaction_config.auto_compact":
		return f.store["storage.auto_compact"]
	case name == "compaction_config.threshold":
		return f.store["storage.compaction_threshold"]
	default:
		return f.ofType(rest)
	}
}

// ofType returns a setting of decay; that of all types where the store has none of this one.
func (f *force) ofType(rest string) mem.Setting {
	x, known := f.store["decay."+rest]
	if known {
		return x
	}
	if strings.HasSuffix(rest, ".decay_enabled") {
		yes := json.RawMessage("true")
		return mem.Setting{Value: yes, Default: yes, Origin: "default", Effect: true,
			Layer: f.store["version"].Layer}
	}
	return f.store["decay.half_life_hours"]
}

// said returns what the session has at a path; nil where that is nothing, or null.
func (f *force) said(path []string) []byte {
	value := f.own
	for _, name := range path {
		var next []byte
		for member, found := range jsontext.Members(value) {
			if member == name && string(found) != "null" {
				next = found
			}
		}
		value = next
	}
	return value
}
