package mem

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"

	"github.com/set-memory/mem/log"
)

// InjectionsFile records what went into which conversation, one JSON line each, so that nothing is told twice and a person can ask what an agent was
// told. It holds keys and no texts, and nothing of what the user said. As the journal it is size-capped, never synced, and never a reason to fail: where it cannot be written,
// on a read-only store, a memory may be told again.
const InjectionsFile = "injections.jsonl"

// injectionsLimit is the size at which the older half of the record goes.
const injectionsLimit = 256 << 10

// plainJSON encodes without the escapes that only a page of HTML needs.
func plainJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

// Injected records that an injection has reached its conversation.
func (s *Store) Injected(in Injection) {
	if s.root() == nil {
		return
	}
	if line, err := plainJSON(in); err == nil {
		s.jot(InjectionsFile, injectionsLimit, append(line, '\n'))
	}
}

// Injections gives the newest recorded injections, at most some (0: all), the newest last; of one conversation, unless that is "". Damaged lines are passed over.
func (s *Store) Injections(conversation string, most int) ([]Injection, error) {
	var list []Injection
	err := s.eachInjection(nil, func(in Injection) {
		if conversation == "" || in.Conversation == conversation {
			list = append(list, in)
		}
	})
	if most > 0 && len(list) > most {
		list = list[len(list)-most:]
	}
	return list, err
}

// eachInjection calls fn with the recorded injections whose lines hold a text, oldest first.
func (s *Store) eachInjection(text []byte, fn func(Injection)) error {
	if s.root() == nil {
		return nil
	}
	// Twice the limit: while one process is late to trim, others append.
	file, err := s.root().ReadFile(InjectionsFile, 2*injectionsLimit)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for line := range bytes.Lines(file) {
		var in Injection
		if bytes.Contains(line, text) && json.Unmarshal(line, &in) == nil {
			fn(in)
		}
	}
	return nil
}

// told is the version of a memory that a conversation was given, and when.
type told struct {
	ts log.Stamp
	at Occasion
}

// given tells which memories a conversation still has from earlier injections. A record that cannot be read is as good as none.
func (s *Store) given(o InjectOptions) map[string]told {
	given := map[string]told{}
	// Looked for as it stands in a line, so that the lines of other conversations are not parsed.
	id, err := plainJSON(o.Conversation)
	if err == nil && o.Conversation != "" {
		err = s.eachInjection(id, func(in Injection) {
			// A sub-agent has a context of its own, under the id of the conversation.
			if in.Conversation != o.Conversation || in.Client != o.Client || in.Occasion == AtSubagent {
				return
			}
			in.Kept.of(given)
			if in.Kept == KeptUnknown {
				return
			}
			for _, m := range in.Memories {
				given[m.Key] = told{m.TS, in.Occasion}
			}
		})
	}
	o.Kept.of(given)
	if err != nil {
		s.debug("what was given before is not known: " + err.Error())
	}
	return given
}

// of takes out of what was given what is not kept.
func (k Kept) of(given map[string]told) {
	switch k {
	case KeptNothing, KeptUnknown:
		clear(given)
	case KeptPrompts:
		maps.DeleteFunc(given, func(_ string, t told) bool { return t.at == AtStart })
	}
}
