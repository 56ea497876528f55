package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/log"
)

// Settings returns the members that a session may have for itself. Where it has none, the member of
// config.json that is named beside it counts.
func Settings() settings.Table {
	t := settings.Table{}
	for _, m := range [...][2]string{
		{"decay_config.enabled", "decay.enabled"},
		{"decay_config.half_life_hours", "decay.half_life_hours"},
		{"decay_config.min_decay_factor", "decay.min_decay_factor"},
		{"decay_config.type_specific.*.half_life_hours", "decay.type_specific.*.half_life_hours"},
		{"decay_config.type_specific.*.decay_enabled", "decay.type_specific.*.decay_enabled"},
		{"compaction_config.auto_compact", "storage.auto_compact"},
		{"compaction_config.threshold", "storage.compaction_threshold"},
	} {
		of, _, _ := settings.Members.Find(m[1])
		t = append(t, settings.Member{Name: m[0], Want: of.Want, Types: of.Types, Like: of.Name})
	}
	t = append(t, settings.Member{Name: "agents", Default: "[]",
		Want: settings.Texts(`a list of agents, like ["ada"]`, ledger.IsAgent),
		Doc:  "agents whose bundles may contain the session's private records"})
	for _, name := range []string{"language", "verbosity", "custom." + settings.Any} {
		t = append(t, settings.Member{Name: "preferences." + name, Want: settings.Text(),
			Without: "it is for programs that read it; mem does not use it"})
	}
	return t
}

// checkConfig returns the settings of a new session as compact JSON. The error wraps mem.ErrInput.
func checkConfig(text []byte) ([]byte, error) {
	if len(text) == 0 {
		return nil, nil
	}
	if _, err := Settings().Read(text); err != nil {
		return nil, configError(err)
	}
	return jsontext.Compact(nil, text)
}

func configError(err error) error {
	return configFault(err,
		advice.Say("a session settles agents, decay_config, compaction_config and preferences"))
}

func settingError(id string, err error) error {
	return configFault(err, advice.Run("config", "list", "--session", id).Then(" shows all"))
}

// configFault returns an error of a session's settings as an error of the input. do is the advice
// where no similar name is known.
func configFault(err error, do advice.List) error {
	var wrong *settings.Fault
	if !errors.As(err, &wrong) {
		return fmt.Errorf("session config: %w: %w", mem.ErrInput, err)
	}
	if wrong.Near != "" {
		do = advice.Say("did you mean " + wrong.Near)
	}
	return fault.Input("session config", wrong.Error(), do)
}

// Configure changes one setting of a session, and reports whether that changed anything; null takes
// it away, so that config.json counts. The error wraps ErrNotFound or mem.ErrInput.
func Configure(ctx context.Context, s *mem.Store, c mem.Caller, id, name, value string) (
	changed bool, err error) {
	member, path, err := Settings().Find(name)
	if err != nil {
		return false, settingError(id, err)
	}
	raw, err := member.Value(value)
	if err == nil && string(raw) != "null" {
		err = member.CheckType(path)
	}
	if err != nil {
		return false, settingError(id, err)
	}
	if name == "agents" { // it admits agents
		if err := policy.CheckPerson(c, policy.Widen); err != nil {
			return false, err
		}
	}
	_, err = change(ctx, s, c, id, func(one *Session, _ log.Stamp) (bool, error) {
		was := one.members.Object()
		text := was
		if string(raw) == "null" {
			text, err = settings.Remove(text, name)
		} else {
			text, err = settings.Set(text, path, raw)
		}
		if err != nil {
			return false, settingError(id, err)
		}
		if text, err = jsontext.Compact(nil, text); err != nil {
			return false, err
		}
		one.members, changed = jsontext.ParseMembers(text), !bytes.Equal(text, was)
		return changed, nil
	})
	return changed && err == nil, err
}
