package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// clearances holds for each channel which memories may be injected there: those of which channels
// ("" for a memory without a channel) and of which sensitivities. Where the requirements leave a
// choice, the stricter reading holds. Secret memories are injected nowhere.
var clearances = map[string]struct {
	channels    []string
	sensitivity []string
	preferences bool
}{
	"private": {[]string{"", "private", "team", "agent", "public"},
		[]string{"none", "low", "high"}, true},
	"team":   {[]string{"team", "public"}, []string{"none", "low", "high"}, true},
	"agent":  {[]string{"agent", "team", "public"}, []string{"none", "low"}, true},
	"public": {[]string{"public"}, []string{"none"}, false},
}

// Clearance returns the labels of the memories that may be injected in a channel. The error names
// the valid channels.
func Clearance(channel string) (set content.Clearance, err error) {
	rule, known := clearances[channel]
	if !known {
		return 0, fmt.Errorf("%q is none of %v", channel, content.Channels())
	}
	for l := range keypath.Label(content.Labels) {
		if slices.Contains(rule.channels, content.ChannelOf(l)) &&
			slices.Contains(rule.sensitivity, content.SensitivityOf(l)) &&
			(rule.preferences || !content.IsPreference(l)) {
			set = set.With(l)
		}
	}
	return set, nil
}

// Sensitivities returns the sensitivities of the memories that may be injected in a channel.
func Sensitivities(channel string) []string { return clearances[channel].sensitivity }

// Placed returns the labels of the memories that may be injected in a channel by their place:
// identities, rules and handoffs without a channel are injected in every channel but the public
// one. Preferences must name a channel.
func Placed(channel string) (set content.Clearance, err error) {
	if set, err = Clearance(channel); err != nil || channel == "public" {
		return set, err
	}
	for l := range keypath.Label(content.Labels) {
		if content.ChannelOf(l) == "" && !content.IsPreference(l) &&
			slices.Contains(Sensitivities(channel), content.SensitivityOf(l)) {
			set = set.With(l)
		}
	}
	return set, nil
}

// CheckSuccessor refuses to replace a memory if some channel shows it but hides its successor: it
// would vanish there without a word. The error is a *ReservedError.
func CheckSuccessor(old, by keypath.Key, was, is keypath.Label) error {
	for _, channel := range content.Channels() {
		set, err := Clearance(channel)
		if err != nil {
			return err
		}
		if set.Has(was) && !set.Has(is) {
			return &ReservedError{Key: old,
				Why: "channel " + channel + " can read it, and cannot read its successor",
				Todo: advice.Say("give " + by.Shown() +
					" a channel and a sensitivity with as many readers")}
		}
	}
	return nil
}

// checkLabel refuses to store content in the clear that its label wants sealed, or not stored at
// all, in the classes of which bundles are built. The error is a *ReservedError.
func (f *Facts) checkLabel(*Ground) error {
	if f.Deletes || !isBundled(f.Key) {
		return nil
	}
	level := content.SensitivityOf(content.LabelOf(f.Key, f.Content))
	if !isSensitive(level) || len(withoutSealed(f.Content)) < len(f.Content) {
		return nil
	}
	return &ReservedError{Key: f.Key,
		Why:  "sensitivity " + level + ": it would be stored in the clear",
		Todo: advice.Run("event").Then(", decide, task, handoff and artifact seal high records")}
}

func isSensitive(level string) bool { return level == "high" || level == "secret" }

// IsSensitive reports whether a memory says that few may read it.
func IsSensitive(rec log.Record) bool {
	return isSensitive(content.SensitivityOf(content.LabelOf(rec.Key, rec.Content)))
}

// isBundled reports whether bundles have a place of their own for this key.
func isBundled(key keypath.Key) bool {
	for _, prefix := range [...]string{"/rules", "/decision", "/task", keypath.Handoffs} {
		if cutNamespace(prefix, key.String()) != "" {
			return true
		}
	}
	return strings.HasPrefix(key.String(), keypath.AgentPrefix+"/")
}

// ForBundle returns the conditions of a bundle of context: besides open memories it has events,
// handoffs and artifacts, but no records of conversations and no agent's own records.
func ForBundle(c backend.Caller, w backend.Where) backend.Where {
	w.Classes = backend.Classes(0).With(keypath.Event).With(keypath.Handoff).With(keypath.Artifact)
	w.Without = backend.Classes(0).With(keypath.Session)
	w.Agent = c.Agent
	return w
}
