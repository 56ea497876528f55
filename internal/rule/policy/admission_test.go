package policy

import (
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/readout"
)

// Only the line of a hook, in a store that may hold rules, is one from the user's own prompts.
func TestStandingOfPrompts(t *testing.T) {
	const quoted = `{"kind":"user","name":"codex","locator":{"channel":"prompt","session":"s"}}`
	const fact, pinned = `{"text":"x"}`, `{"text":"x","pinned":true}`
	for name, c := range map[string]struct {
		belief          Belief
		source, content string
		want            readout.Standing
	}{
		"a hook's":     {Belief{}, quoted, fact, readout.Prompted},
		"a pinned one": {Belief{}, quoted, pinned, readout.Rule},
		"an agent's pin": {Belief{}, quoted[:len(quoted)-1] + `,"pinned_by":"codex"}`,
			pinned, readout.Prompted},
		"in a repository": {Belief{Repository: true}, quoted, fact, readout.RepositoryFact},
		"without rules":   {Belief{NoRules: true}, quoted, fact, readout.Fact},
		"of an import": {Belief{}, string(content.WithClaim([]byte(quoted), content.FromImport)),
			fact, readout.Fact},
		"of a depot": {Belief{}, string(content.WithClaim([]byte(quoted), content.FromDepot)),
			fact, readout.Fact},
		"an agent's": {Belief{}, `{"kind":"agent","locator":{"channel":"prompt"}}`, fact,
			readout.Fact},
		"of no kind": {Belief{}, `{"locator":{"channel":"prompt"}}`, fact, readout.Fact},
		"of a page": {Belief{}, `{"kind":"user","locator":{"channel":"web","x":"prompt"}}`,
			fact, readout.Fact},
		"a text": {Belief{}, `"prompt"`, fact, readout.Fact},
	} {
		it := readout.Item{Key: "/note/workspace/m-1", Source: []byte(c.source),
			Fields: content.Parse([]byte(c.content))}
		if got := c.belief.Standing(&it, ""); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
