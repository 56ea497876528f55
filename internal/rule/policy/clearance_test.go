package policy

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
)

// Every cell of B-48, the stricter reading of B-70, and what a memory says of its own channel.
func TestClearance(t *testing.T) {
	channels := []string{"", "private", "team", "agent", "public"}
	sees := map[string]string{"private": "-ptag", "team": "tg", "agent": "tag", "public": "g"}
	levels := map[string]string{"private": "nlh", "team": "nlh", "agent": "nl", "public": "n"}
	letters := map[string]string{"": "-", "private": "p", "team": "t", "agent": "a", "public": "g",
		"none": "n", "low": "l", "high": "h", "secret": "s"}
	cells := 0
	for caller := range sees {
		set, err := Clearance(caller)
		if err != nil {
			t.Fatal(err)
		}
		for _, channel := range channels {
			for _, level := range content.Sensitivities() {
				for _, kind := range []string{"fact", "preference"} {
					text := `{"type":"` + kind + `","sensitivity":"` + level + `"`
					if channel != "" {
						text += `,"channel":"` + channel + `"`
					}
					f := content.Parse([]byte(text + "}"))
					got := set.Has(content.RealmOf(keypath.MustParse("/a"), f).Label)
					want := strings.Contains(sees[caller], letters[channel]) &&
						strings.Contains(levels[caller], letters[level]) &&
						(kind == "fact" || caller != "public")
					if cells++; got != want {
						t.Errorf("%s sees a %s of %q %s: %v", caller, kind, channel, level, got)
					}
				}
			}
		}
	}
	if cells != 160 {
		t.Errorf("%d cells", cells)
	}
	if _, err := Clearance("all"); err == nil {
		t.Error("a channel that is none is cleared")
	}
}

// What nobody understands is told to nobody, and what is no channel to nobody else.
func TestOddLabels(t *testing.T) {
	for text, want := range map[string]string{
		`{"channel":"#general"}`:         "private none",
		`{"channel":7}`:                  "private none",
		`{"sensitivity":"medium"}`:       " secret",
		`{"sensitivity":null}`:           " secret",
		`{"channel":"Public"}`:           "private none",
		`{"channel":"public","x":1}`:     "public none",
		`{"sensitivity":"\u0068igh"}`:    " high",
		`"channel"`:                      " none",
		`{"content":{"channel":"team"}}`: " none",
	} {
		l := content.Parse([]byte(text)).Label
		if got := content.ChannelOf(l) + " " + content.SensitivityOf(l); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
