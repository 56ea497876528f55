package mem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// ConfigFile is the name of the configuration below the root; it is optional.
const ConfigFile = backend.ConfigFile

// The settings of a store: package settings has the table of all members.
type (
	Config       = settings.Config
	DecayConfig  = settings.DecayConfig
	InjectLimits = settings.InjectLimits
	NoteLimits   = settings.NoteLimits
	Setting      = settings.Setting
)

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

// commit runs an update of the store. One that went by a configuration that is old by now runs
// again, by that of the store.
func (op *Operation) commit(ctx context.Context, fn func(backend.Tx) error) error {
	if !op.joint {
		op.store.goOn(ctx, op.caller)
	}
	by, compares := op.store.backend.(backend.ConfigComparer)
	if op.assumed && compares {
		err := by.UpdateBy(ctx, op.caller, op.verb.String(), op.version, fn)
		if !errors.Is(err, backend.ErrConfig) {
			return err
		}
		if _, err := op.Config(ctx); err != nil {
			return err
		}
	}
	return op.store.backend.Update(ctx, op.caller, op.verb.String(), fn)
}

// admitAgain asks the rules once more about writes that were checked by another configuration than
// the operation goes by now.
func (op *Operation) admitAgain(ctx context.Context, writes []Checked) ([]Checked, error) {
	old := func(p Checked) bool { return p.op == op && p.conf != op.conf }
	if !slices.ContainsFunc(writes, old) {
		return writes, nil
	}
	writes = slices.Clone(writes) // the update may run again
	for i := range writes {
		p := &writes[i]
		if !old(*p) {
			continue
		}
		if err := p.spare(op.ground(ctx, op.conf).AdmitSource(p.facts)); err != nil {
			return nil, err
		}
	}
	return writes, nil
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

// SetSetting sets one member of config.json to another value, and reports whether that changed the
// file: arg is JSON, or the bare text of a text; null removes the member, also one that mem does
// not know. A value that would have no effect is refused. All else in the file stays as it is
// spelled. What the file says after that is judged as a whole. Of a wrong file one fault after the
// other can be mended: with fewer than it had it is written, with a warning of the rest. Else
// nothing is written, and the error is a *ConfigError. It wraps backend.ErrChanged where another
// program changed the file meanwhile.
func (s *Store) SetSetting(ctx context.Context, c Caller, name, arg string) (changed bool,
	err error) {
	file, ok := s.backend.(backend.Configurer)
	if !ok {
		return false, fmt.Errorf("%w: this store has no configuration of its own", ErrInput)
	}
	if s.opts.ForeignConfig {
		return false, ErrForeignConfig
	}
	if why := s.WhyNoEffect(name); why != "" && arg != "null" {
		fault := settings.Fault{Name: name, Why: "it would have no effect: " + why}
		return false, &ConfigError{Fault: fault, Layer: s.opts.Layer, refused: arg}
	}
	verb := map[settings.Decider]Verb{settings.Anybody: policy.Config,
		settings.Person: policy.Tune, settings.Answered: policy.Widen}[settings.DeciderOf(name)]
	op, err := s.Begin(c, verb)
	if err != nil {
		return false, err
	}
	var left error // the fault that remains in the written text
	err = file.SetConfig(ctx, c, func(text []byte) ([]byte, error) {
		next, wrong, err := settings.Change(text, name, arg)
		left, changed = wrong, err == nil && !bytes.Equal(next, text)
		return next, err
	})
	if err = s.configError(err); err == nil && left != nil {
		wrong := s.configError(left)
		s.opts.Warn(wrong.Error() + "; other changes are refused until this is corrected: " +
			Hint(wrong))
	}
	rec := opRecord{What: redact(text.Clip(name, maxName), name)}
	if changed {
		rec.Count = 1
	}
	op.end(rec, err)
	return changed && err == nil, err
}

// maxName is how many characters of a member's name the journal keeps.
const maxName = 60

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

// Replay stores versions that another store has had, in this order, all of them or none: each as it
// is, and with its time. No rule is asked what may be written: it was, once, and a copy that leaves
// something out is none. Nor has the journal a line before [Operation.Done]. The error wraps
// backend.ErrOlder where a version does not win against what its key has had here.
func (op *Operation) Replay(ctx context.Context, versions []log.Envelope) error {
	if op.verb != policy.Copy {
		return fmt.Errorf("%w: only a copy of a whole store skips the rules", policy.ErrReserved)
	}
	writes := make([]backend.Write, len(versions))
	for i, e := range versions {
		writes[i] = backend.Write{Envelope: e, Imported: true}
	}
	s := op.store
	err := s.backend.Update(ctx, op.caller, op.verb.String(), func(tx backend.Tx) error {
		_, err := tx.Append(writes...)
		return err
	})
	if fn := s.opts.OnStored; fn != nil && stored(err) {
		fn(versions)
	}
	return err
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

// GiveConfig makes a text the configuration of a store that has none, and reports whether it did.
// It is not checked: a fault of the original stays a fault here, reported in the same way.
func (op *Operation) GiveConfig(ctx context.Context, text []byte) (given bool, err error) {
	if op.verb != policy.Copy {
		return false, fmt.Errorf("%w: only a copy of a whole store skips the rules",
			policy.ErrReserved)
	}
	file, ok := op.store.backend.(backend.Configurer)
	if !ok {
		return false, fmt.Errorf("%w: this store has no configuration of its own", ErrInput)
	}
	err = file.SetConfig(ctx, op.caller, func(have []byte) ([]byte, error) {
		if given = len(bytes.TrimSpace(have)) == 0; !given {
			return have, nil
		}
		return text, nil
	})
	return given && err == nil, err
}
