package text

import (
	"strings"
	"testing"
)

// The text is split at its stops, where | marks the ends.
func TestEndsSentence(t *testing.T) {
	for _, want := range []string{
		"We use v1.2 of the API, i.e. not v2.| It breaks otherwise.",
		"the fix no. 5 must stay.| Keep it.",
		"He said no.| Then yes.",
		"deploys need VPN, e.g. WireGuard.| Nothing else.",
		"version 2. is dead.| Use v3.| Thanks.",
		"the port is 5433.| run the tests",
		"save that.| now fix it",
		"logs, caches etc. are deleted.| Logs, caches etc.| Keep the rest.",
		"Dr. Smith and George R. Smith own it.| Ask them.",
		"We take plan B.| Then go.",
		"Release ist am 3. Mai, z. B. um 9 Uhr.| Gut.",
		"Ada, cf.\n|line",
		"(e.g. tabs) or (no. 4).| Go",
	} {
		plain := strings.ReplaceAll(want, "|", "")
		got, from := "", 0
		for i, r := range plain {
			if (r == '.' || r == '\n') && i+1 < len(plain) &&
				(r == '\n' || !strings.HasPrefix(plain[i+1:], "\n")) &&
				(r == '\n' || EndsSentence(plain[from:i], plain[i+1:])) {
				got += plain[from:i+1] + "|"
				from = i + 1
			}
		}
		if got += plain[from:]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
