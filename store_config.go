package mem

import (
	"context"
	"errors"
	"fmt"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/store/backend"
)

// ConfigFile is the name of the configuration below the root; it is optional.
const ConfigFile = backend.ConfigFile

// Config returns the content of config.json, which is read again when it changes. It is for what
// writes: the error is a *ConfigError where the file is wrong, for nothing is to be written by
// rules that nobody set. What only reads asks [Store.ConfigToRead].
func (s *Store) Config(ctx context.Context) (*Config, error) {
	s.mu.Lock()
	have := s.version
	if s.conf == nil {
		have = ""
	}
	s.mu.Unlock() // others may ask the store meanwhile
	text, version, err := s.backend.Config(ctx, have)
	if err != nil {
		return nil, err
	}
	if s.opts.ForeignConfig {
		text, version = nil, ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conf != nil && (version == s.version || version == have && version != "") {
		return s.conf, nil // the known configuration, or a newer one that another caller has read
	}
	if version == "" {
		text = nil
	}
	c, err := settings.Parse(text)
	if err != nil {
		return nil, s.configError(err)
	}
	if w := c.Warning(); w != "" {
		s.opts.Warn(w)
	}
	s.conf, s.version = c, version
	return c, nil
}

// knownConfig returns the configuration that was read last, with its version; nil: none was.
func (s *Store) knownConfig() (*Config, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conf, s.version
}

// ConfigToRead is [Store.Config] for what only reads: where the file is wrong the defaults count,
// and it is warned of once.
func (s *Store) ConfigToRead(ctx context.Context) (*Config, error) {
	c, err := s.Config(ctx)
	wrong := errors.As(err, new(*ConfigError)) || errors.Is(err, disk.ErrIrregular) ||
		errors.Is(err, disk.ErrLarger)
	if !wrong {
		return c, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.warned {
		s.opts.Warn(err.Error() + "; reads use the defaults, and nothing is written")
		s.warned = true
	}
	return settings.Default(), nil
}

// InjectConfig is [Store.ConfigToRead] for what injects: where stores are read together, the limits
// that the first one sets come before those of the last.
func (s *Store) InjectConfig(ctx context.Context) (*Config, error) {
	c, err := s.ConfigToRead(ctx)
	for i := len(s.members) - 2; err == nil && i >= 0; i-- {
		own, failed := s.members[i].Store.ConfigToRead(ctx)
		if failed == nil { // a store that cannot be read limits nothing
			c = c.InProject(own)
		}
	}
	return c, err
}

// Settings returns the settings of these names, without names all, as [settings.Config.Settings]
// does. A configuration that is wrong is warned of, and that of a repository too: the defaults are
// in force then. The error is a *ConfigError that names the nearest.
func (s *Store) Settings(ctx context.Context, names ...string) ([]Setting, error) {
	for _, name := range names {
		if _, _, err := settings.Members.Find(name); err != nil {
			return nil, s.configError(err)
		}
	}
	c, err := s.ConfigToRead(ctx)
	if err != nil {
		return nil, err
	}
	if s.opts.ForeignConfig {
		s.opts.Warn(ErrForeignConfig.Error())
	}
	return c.Settings(s.opts.Layer, names...)
}

// WhyNoEffect returns why a setting of a store changes nothing; "" where it does, or there is none
// of that name.
func (s *Store) WhyNoEffect(name string) string {
	return settings.Members.WhyNot(name, s.opts.Layer)
}

// ConfigText returns the configuration of a store as it is spelled, right or wrong; nil where it
// has none.
func (s *Store) ConfigText(ctx context.Context) ([]byte, error) {
	if s.opts.ForeignConfig {
		return nil, nil
	}
	text, version, err := s.backend.Config(ctx, "")
	if version == "" || err != nil {
		return nil, err
	}
	return append([]byte{}, text...), nil
}

// ConfigError is the error of config.json, or of a value that was to be set there;
// errors.Is(err, ErrInput) holds.
type ConfigError struct {
	settings.Fault
	Layer string // whose configuration it is; "" for a store that was named

	path    string // of the file; "" where the store keeps none
	refused string // the value that would have no effect
}

// configError returns the problems of a store's configuration as an error of this package.
func (s *Store) configError(err error) error {
	var fault *settings.Fault
	if !errors.As(err, &fault) {
		return err
	}
	e := &ConfigError{Fault: *fault, Layer: s.opts.Layer}
	if s.rooted() != nil {
		e.path = s.Path() + "/" + ConfigFile
	}
	return e
}

func (e *ConfigError) Error() string {
	if e.Line == 0 {
		return e.Fault.Error()
	}
	return ConfigFile + ": " + e.Fault.Error()
}

// Is makes every ConfigError an ErrInput.
func (e *ConfigError) Is(target error) bool { return target == ErrInput }

// Advice returns what puts it right.
func (e *ConfigError) Advice() advice.List {
	near := advice.List{{}}
	if e.Near != "" {
		near = advice.Say("did you mean " + e.Near + "? ")
	}
	set := func(value string) advice.List {
		if e.Layer != "" {
			return near.Run("config", "set", "--layer", e.Layer, e.Name, value)
		}
		return near.Run("config", "set", e.Name, value)
	}
	switch {
	case e.refused != "" && e.Layer == policy.ProjectLayer &&
		settings.Members.WhyNot(e.Name, policy.UserLayer) == "":
		return advice.Run("config", "set", "--layer", policy.UserLayer, e.Name, e.refused)
	case e.Name == "":
		return advice.Say(fmt.Sprintf("mend line %d of %s", e.Line, e.path))
	case e.Line == 0:
		return near.Run("config", "list").Then(" shows all")
	case e.Near != "" || e.Why == settings.NoMember:
		return set("null").Then(" removes it").
			Also(advice.Run("config", "list").Then(" shows all"))
	}
	return set(settings.Usual(e.Name))
}
