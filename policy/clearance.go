package policy

import (
	"fmt"
	"slices"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
)

// clearances says what a channel is told of (B-48 to B-50, with the stricter reading of B-70): of
// which channels, the one that a memory without a channel counts as among them, and up to which
// sensitivity. What is secret is told nowhere.
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

// Clearance returns the labels of what may be told in a channel. The error names the channels that
// there are.
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

// Sensitivities returns the sensitivities that a channel is told of.
func Sensitivities(channel string) []string { return clearances[channel].sensitivity }

// ClearedByDefault reports whether a channel is told of what says nothing of its own channel and is
// told by its place: identities, rules and handoffs. Only the public is not.
func ClearedByDefault(channel string) bool { return channel != "public" }
