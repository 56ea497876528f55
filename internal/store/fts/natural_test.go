package fts

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNamesStandAsPeopleCount(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"D1-2", "D1-10"}, {"m-9", "m-10"}, {"m-93", "m-930"}, {"2", "10"}, {"a", "a1"},
		{"a2b", "a10"}, {"v1.9", "v1.10"}, {"00", "1"}, {"m-010", "m-11"}, {"1-b", "1-c"},
		{"m-9", "m-x"}, {"99999999999999999999999998", "99999999999999999999999999"},
		{"999", "01J9Z3X4K2"}, {"01J9Z3X4K2", "01JAZ3X4K2"}, {"z", "a1b2c3"},
		{"evt_01KJ2CNA804FCCG1BRAHFFRSJR", "evt_01KJ2CNQXGQEZEDZSVEYNMVJWS"},
		{"evt_01KJ2CNQXGQEZEDZSVEYNMVJWS", "evt_01KJ2CNRWR3X0SGS8KTDK8PJSS"},
	} {
		if naturalName(c.before) >= naturalName(c.after) {
			t.Errorf("%q does not come before %q", c.before, c.after)
		}
	}
}

func TestNamesAreSortedAsTheirNumbersAre(t *testing.T) {
	name := rapid.StringMatching(`[a-c牙]{0,2}[0-9]{0,3}[-.]?[0-9a-f]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		got, want := strings.Compare(naturalName(a), naturalName(b)), compareNames(a, b)
		if got != want && got != 0 { // equal in value, as 7 and 07: the keys decide
			t.Errorf("%q and %q compare as %d, want %d", a, b, got, want)
		}
	})
}
