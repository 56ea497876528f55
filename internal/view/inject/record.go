package inject

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// injections.jsonl has the injections of all conversations, one JSON line each: keys and no texts,
// the paths of files that agents have renamed, and nothing of the user's messages. It is never
// synced, and never a reason to fail.
const injectionsFile = backend.InjectionsFile

// injectionsLimit is the size in bytes at which the older half of the record is removed.
const injectionsLimit = 256 << 10

// plainJSON encodes without the escapes that are only for HTML.
func plainJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

// Record records an injection, and with one write that of its Start: other hooks see both or none.
func Record(s *mem.Store, in Injection) {
	var lines []byte
	for _, in := range [...]*Injection{in.Start, &in} {
		if in == nil {
			continue
		}
		if line, err := plainJSON(in); err == nil {
			lines = append(append(lines, line...), '\n')
		}
	}
	s.Journal(injectionsFile).Append(lines, injectionsLimit)
}

// Recorded returns the newest recorded injections, at most limit (0: all), the newest last; of one
// conversation, unless that is "". Damaged lines are skipped.
func Recorded(s *mem.Store, conversation string, limit int) ([]Injection, error) {
	var list []Injection
	err := eachRecord(s, nil, func(in Injection) {
		if conversation == "" || in.Conversation == conversation {
			list = append(list, in)
		}
	})
	if limit > 0 && len(list) > limit {
		list = list[len(list)-limit:]
	}
	return list, err
}

// eachRecord calls fn with the recorded injections whose lines hold a text, oldest first.
func eachRecord(s *mem.Store, text []byte, fn func(Injection)) error {
	// Twice the limit: others may append before one process trims.
	lines, err := s.Journal(injectionsFile).Read(2 * injectionsLimit)
	if err != nil {
		return err
	}
	var list []Injection
	first, missed := map[string]int{}, map[string]string{}
	for line := range bytes.Lines(lines) {
		var in Injection
		if !bytes.Contains(line, text) || json.Unmarshal(line, &in) != nil {
			continue
		}
		if in.Claim != "" && len(in.Memories) == 0 && in.Own == nil {
			missed[in.Claim] = cmp.Or(in.Missed, missed[in.Claim])
		}
		part := in.Claim + string(in.Trigger)
		if i, again := first[part]; again && in.Claim != "" {
			list[i] = in // in its place, where it excludes later claims
			continue
		}
		first[part], list = len(list), append(list, in)
	}
	for _, in := range list {
		if why := missed[in.Claim]; why != "" { // in whatever order the lines came
			in.Memories, in.Own, in.Missed = []Injected{}, nil, why
		}
		fn(in)
	}
	return nil
}

// List is a list of injections as the commands print it, the newest last.
type List struct {
	Count      int         `json:"count"`
	Injections []Injection `json:"injections"`
}

// NewList returns the List of some injections.
func NewList(list []Injection) List {
	list = append([]Injection{}, list...)
	for i := range list {
		list[i].Claim = ""
	}
	return List{Count: len(list), Injections: list}
}

// TellingsOf returns the recorded injections that held a memory, the newest first. layer is where
// it lies, for injections that say.
func TellingsOf(s *mem.Store, key keypath.Key, layer string) (list []Injection, err error) {
	holds := func(m Injected) bool {
		return m.Key == key.String() && (m.Layer == "" || m.Layer == layer)
	}
	err = eachRecord(s, nil, func(in Injection) {
		if slices.ContainsFunc(in.Memories, holds) {
			list = append(list, in)
		}
	})
	slices.Reverse(list)
	return list, err
}
