package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// Kinds holds the six origins that a source may name.
var Kinds = [...]string{"user", "tool", "web", "file", "system", "agent"}

func isKind(kind string) bool { return slices.Contains(Kinds[:], kind) }

// source holds the few members of a source that policy reads.
type source struct {
	text        *string // the source is this string
	kind, name  string
	retrievedAt string
	locator     []byte
	raw         []byte
	members     int
	twice       [2]string // two members that fold to one name: readers would not agree on them
}

func parseSource(raw []byte) (s source) {
	s.raw = raw
	if len(raw) > 0 && raw[0] == '"' {
		text := jsontext.Unquote(raw)
		s.text = &text
		return s
	}
	spelled := map[string]string{}
	for name, value := range jsontext.Members(raw) {
		s.members++
		folded := content.FoldName(name)
		if other, ok := spelled[folded]; ok {
			s.twice = [2]string{other, name}
		}
		spelled[folded] = name
		switch folded {
		case "kind":
			s.kind = jsontext.TextOr(value, string(value))
		case "name":
			s.name = jsontext.Unquote(value)
		case "retrievedat":
			s.retrievedAt = jsontext.TextOr(value, string(value))
		case "locator":
			s.locator = value
		}
	}
	return s
}

func (s source) blank() bool {
	if s.text != nil {
		return strings.TrimSpace(*s.text) == ""
	}
	return s.members == 0
}

// network reports whether a source that names no kind names a URL.
func (s source) network() bool { return content.NamesURL(s.raw) }

// ambiguous returns a complaint if two members have the same name once folded, or "". The last of
// them would decide here, and another reader of the stored source may take the first.
func (s source) ambiguous() string {
	if s.twice[1] == "" {
		return ""
	}
	return fmt.Sprintf("%.40q and %.40q are one member", s.twice[0], s.twice[1])
}

func (s source) wrongKind() string {
	return fmt.Sprintf("kind %q, want one of %s", s.kind, strings.Join(Kinds[:], ", "))
}

// complete checks the four fields and returns all that are wrong in one error.
func (s source) complete(due string) error {
	e := &ProvenanceError{Due: due}
	if s.text != nil {
		e.Wrong = []string{"the source is only a string, " +
			"want an object with kind, name, retrieved_at, locator"}
		return e
	}
	switch {
	case s.kind == "":
		e.Wrong = append(e.Wrong, "no kind")
	case !isKind(s.kind):
		e.Wrong = append(e.Wrong, s.wrongKind())
	}
	if strings.TrimSpace(s.name) == "" {
		e.Wrong = append(e.Wrong, "no name")
	}
	switch _, err := log.ParseTime(s.retrievedAt); {
	case s.retrievedAt == "":
		e.Wrong = append(e.Wrong, "no retrieved_at")
	case err != nil:
		e.Wrong = append(e.Wrong, fmt.Sprintf("retrieved_at %q is no ISO 8601 time", s.retrievedAt))
	}
	if !traced(s.locator) {
		e.Wrong = append(e.Wrong, "no locator with a trace (URL, path, query, id or hash)")
	}
	if len(e.Wrong) > 0 {
		return e
	}
	return nil
}

// traced reports whether a locator names anything: whether it is a string that is not blank, or an
// object with a member that is not empty.
func traced(locator []byte) bool {
	if len(locator) > 0 && locator[0] == '"' {
		return strings.TrimSpace(jsontext.Unquote(locator)) != ""
	}
	for _, value := range jsontext.Members(locator) {
		if empty := string(value); empty != "null" && empty != "{}" && empty != "[]" &&
			empty != "false" && strings.TrimSpace(jsontext.TextOr(value, empty)) != "" {
			return true
		}
	}
	return false
}

// LeadsBack reports whether a source says anything that leads back to where a memory is from: a
// string that is not blank, or an object with a kind, a name, a locator or a URL.
func LeadsBack(raw []byte) bool {
	s := parseSource(raw)
	if s.text != nil {
		return !s.blank()
	}
	return saysWord(s.kind) || saysWord(s.name) || traced(s.locator) || s.network()
}

func saysWord(text string) bool { return strings.TrimSpace(text) != "" && text != "null" }
