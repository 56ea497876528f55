package content

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// A label holds the members of a memory that decide which bundles of context may contain it: its
// channel, its sensitivity, and whether it is a preference. The zero label says nothing. Bits 0 to
// 2 are the channel, 3 and 4 the sensitivity, 5 the preference.
const (
	sensitivityShift = 3
	preferenceBit    = 5

	// Labels is how many labels there are.
	Labels = 1 << (preferenceBit + 1)
)

// channels and sensitivities by the number that a label has of them; the first is to say nothing.
var (
	channels      = [...]string{"", "private", "team", "agent", "public"}
	sensitivities = [...]string{"none", "low", "high", "secret"}
)

// Channels returns the names of the channels, the narrowest first.
func Channels() []string { return channels[1:] }

// Sensitivities returns the names of the sensitivities, the least first.
func Sensitivities() []string { return sensitivities[:] }

// ChannelOf returns the channel of a label; "" where the memory names none.
func ChannelOf(l keypath.Label) string { return channels[min(l&7, keypath.Label(len(channels)-1))] }

// SensitivityOf returns the sensitivity of a label.
func SensitivityOf(l keypath.Label) string { return sensitivities[l>>sensitivityShift&3] }

// IsPreference reports whether a label is that of a preference.
func IsPreference(l keypath.Label) bool { return l>>preferenceBit&1 != 0 }

// channelBits returns the part of a label for a channel. An unknown one counts as private.
func channelBits(value []byte) keypath.Label {
	text := jsontext.Unquote(value)
	for i, name := range channels {
		if i > 0 && text == name {
			return keypath.Label(i)
		}
	}
	return 1
}

// sensitivityBits returns the part of a label that a value of sensitivity stands for. An unknown
// sensitivity counts as the highest: no bundle contains a memory whose label is not understood.
func sensitivityBits(value []byte) keypath.Label {
	text := jsontext.Unquote(value)
	for i, name := range sensitivities {
		if text == name {
			return keypath.Label(i) << sensitivityShift
		}
	}
	return keypath.Label(len(sensitivities)-1) << sensitivityShift
}

// IsLabel reports whether a member of content and its value are a part of a label.
func IsLabel(name string, value []byte) bool {
	list := channels[1:]
	if name == "sensitivity" {
		list = sensitivities[:]
	}
	return slices.Contains(list, jsontext.Unquote(value))
}

// preferences is the namespace of a person's preferences, whatever their type.
const preferences = "/user/preference"

// RealmOf returns the realm of a memory of these fields, with its label.
func RealmOf(key keypath.Key, f Fields) keypath.Realm {
	r := key.Realm()
	r.Label = f.Label
	rest, below := strings.CutPrefix(key.String(), preferences)
	if strings.EqualFold(f.Type, "preference") || below && (rest == "" || rest[0] == '/') {
		r.Label |= 1 << preferenceBit
	}
	return r
}

// LabelOf returns the label of a memory.
func LabelOf(key keypath.Key, text []byte) keypath.Label { return RealmOf(key, Parse(text)).Label }

// Clearance is a set of labels. The zero Clearance is none.
type Clearance uint64

// With returns the set with one more label.
func (c Clearance) With(l keypath.Label) Clearance { return c | 1<<l }

// Has reports whether a label is in the set.
func (c Clearance) Has(l keypath.Label) bool { return c>>l&1 != 0 }
