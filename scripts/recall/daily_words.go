package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// wording is how an agent might search in words of its own for the answer to a prompt.
type wording struct {
	ID    string    `json:"id"` // of the prompt
	Words [2]string `json:"words"`
}

// foundLimit is how many hits of a search count.
const foundLimit = 5

// measureWords prints how many of the hard prompts find a wanted note among the first five hits of
// a search: with the prompt itself, with the first wording, and with both wordings in one query.
func (m *month) measureWords(out io.Writer, wordings []wording) {
	var raw, first, both share
	for _, w := range wordings {
		i := slices.IndexFunc(m.prompts, func(p dayPrompt) bool { return p.ID == w.ID })
		if i < 0 {
			continue // of the other half
		}
		p := m.prompts[i]
		for query, s := range map[string]*share{p.Prompt: &raw, w.Words[0]: &first,
			strings.Join(w.Words[:], " "): &both} {
			found := m.home.search(p.Repo, query)
			s.add(slices.ContainsFunc(found, p.wants))
		}
	}
	fmt.Fprintf(out, "%s, found@%d of %d hard prompts: prompt %.1f, first wording %.1f, both %.1f\n",
		m.home.layout, foundLimit, raw.of, raw.percent(), first.percent(), both.percent())
}

// search returns the notes that a search in a repository finds, best first.
func (h *home) search(repo, query string) (found []dayNote) {
	var out []byte
	err := harness.Try(func() {
		out = h.run(repo, nil, nil, "search", "--json", "--limit", fmt.Sprint(foundLimit), "--", query)
	})
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil // nothing is found
	}
	harness.Check(err)
	var answer struct{ Memories []recordedMemory }
	if err := json.Unmarshal(out, &answer); err != nil {
		harness.Failf("%s: %w", out, err)
	}
	for _, hit := range answer.Memories {
		store := h.store(repo)
		if hit.Layer == userRepo {
			store = userRepo
		}
		n, known := h.known[store+hit.Key]
		if !known {
			harness.Failf("%s of %s is no note of the set", hit.Key, store)
		}
		found = append(found, n)
	}
	return found
}
