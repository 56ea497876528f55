package cli

import "testing"

// MEM_AGENT is taken as keys spell it: the name of an agent is a segment of them.
func TestAgentOf(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "ada": "ada", "Ada": "Ada", "e\u0301": "é", "..": "..", "a/": "a", "a//b": "a/b",
	} {
		if got := agentOf(func(string) string { return text }); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
