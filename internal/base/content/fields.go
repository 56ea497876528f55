package content

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Fields holds the optional members of content that the system itself reads. A member of another
// type than expected counts as absent.
type Fields struct {
	Type       string
	Summary    string
	Text       string
	Tags       []string
	Files      []File
	Importance float64   // 0..1; 0.5 if absent
	WholeOne   bool      // importance is spelled 1, perhaps meant as the least of 1..10
	Expires    log.Stamp // meaningful only when HasExpiry
	HasExpiry  bool
	BadExpiry  bool // expired_at is there, but is no time
	Pinned     bool // pinned is true, and nothing that only means it
	Created    log.Stamp
	HasCreated bool // timestamp or created_at is a time, which Created is then

	SupersededBy string // the key of the memory that has taken its place; "": none has

	Label keypath.Label // of channel and sensitivity; that of the memory is in RealmOf
}

// IsRule reports whether a memory says of itself that it is a rule of its writer: it is pinned, or
// its type is rule or preference, or it is a note and has a tag like that, in any case. Whose rule
// it is, its layer and its source say.
func (f *Fields) IsRule() bool {
	return f.Pinned || namesRule(f.Type) ||
		strings.EqualFold(f.Type, "note") && slices.ContainsFunc(f.Tags, namesRule)
}

// namesRule reports whether a type, or a tag of a note, says that a memory is a rule.
func namesRule(name string) bool {
	return strings.EqualFold(name, "rule") || strings.EqualFold(name, "preference")
}

// DefaultImportance is the importance of a memory that names none.
const DefaultImportance = 0.5

// Parse returns the fields of content as an envelope holds it.
func Parse(content []byte) Fields {
	f := Fields{Importance: DefaultImportance}
	var created [2]stampValue // timestamp, created_at
	var said [len(sayings)][]byte
	var event []byte // what an event is about
	for name, value := range jsontext.RawMembers(content) {
		switch string(name) {
		case "type":
			f.Type = jsontext.Unquote(value)
		case "summary":
			f.Summary = jsontext.Unquote(value)
		case "text":
			f.Text = jsontext.Unquote(value)
		case "tags":
			f.Tags = parseTags(value)
		case "files":
			f.Files = parseFiles(value)
		case "importance":
			f.Importance, f.WholeOne = parseImportance(value), string(value) == "1"
		case "expired_at":
			f.Expires, f.HasExpiry = parseStamp(value)
			f.BadExpiry = !f.HasExpiry && string(value) != "null"
		case "pinned":
			f.Pinned = string(value) == "true"
		case "timestamp":
			created[0].parse(value)
		case "created_at":
			created[1].parse(value)
		case "superseded_by":
			f.SupersededBy = jsontext.Unquote(value)
		case "channel":
			f.Label |= channelBits(value)
		case "sensitivity":
			f.Label |= sensitivityBits(value)
		case "content":
			event = value
		case "message", "decision", "finding", "preference":
			said[slices.Index(sayings[:], string(name))] = value
		}
	}
	f.Created, f.HasCreated = firstOf(created)
	if i := slices.Index(sayingTypes[:], f.Type); i >= 0 && f.Text == "" {
		f.Text = jsontext.Unquote(said[i])
	}
	if f.Text == "" && event != nil {
		f.Text = eventText(event)
	}
	return f
}

func eventText(about []byte) (text string) {
	for name, value := range jsontext.RawMembers(about) {
		switch string(name) {
		case "text", "excerpt_text", "decision":
			if s := jsontext.Unquote(value); text == "" {
				text = s
			}
		}
	}
	return text
}

// sayings are the members in which memories of these types have their text, where they have
// no text by that name.
var (
	sayingTypes = [...]string{"conversation", "decision", "finding", "preference"}
	sayings     = [...]string{"message", "decision", "finding", "preference"}
)

// Expired reports whether the memory has expired: now is strictly after expired_at.
func (f Fields) Expired(now log.Stamp) bool { return f.HasExpiry && now > f.Expires }

// Expired is [Fields.Expired] for content that is not parsed: it reads only the expiry.
func Expired(content []byte, now log.Stamp) bool {
	if !mayHave(content, "expired_at") {
		return false
	}
	for name, value := range jsontext.RawMembers(content) {
		if string(name) == "expired_at" {
			at, ok := parseStamp(value)
			return ok && now > at
		}
	}
	return false
}

// Successor is [Fields.SupersededBy] for content that is not parsed. A memory with a successor
// stays stored and is returned on request, but reads, hooks and pages omit it.
func Successor(content []byte) (key string) {
	if !mayHave(content, "superseded_by") {
		return ""
	}
	for name, value := range jsontext.RawMembers(content) {
		if string(name) == "superseded_by" {
			key = jsontext.Unquote(value)
		}
	}
	return key
}

// mayHave reports whether content may have a member of a name, which another escape may spell.
// Every record that is read or compacted is asked, and few have one.
func mayHave(content []byte, name string) bool {
	return bytes.Contains(content, []byte(name)) || bytes.Contains(content, []byte(`\u`))
}

func parseTags(value []byte) (tags []string) {
	for element := range jsontext.Elements(value) {
		if tag := jsontext.Unquote(element); tag != "" {
			if tags == nil {
				tags = make([]string, 0, 4)
			}
			tags = append(tags, tag)
		}
	}
	return tags
}

// parseImportance returns importance as 0..1; a value above 1 is a share of 10.
func parseImportance(value []byte) float64 {
	v, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil || math.IsNaN(v):
		return DefaultImportance
	case v > 1:
		return min(v/10, 1)
	default:
		return max(v, 0)
	}
}

// parseStamp returns the time that value spells: as text, in seconds, or in milliseconds.
func parseStamp(value []byte) (log.Stamp, bool) {
	if len(value) > 1 && value[0] == '"' {
		s, err := log.ParseTime(jsontext.Unquote(value))
		return s, err == nil
	}
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return 0, false
	}
	if math.Abs(v) < 1e11 {
		v *= 1e6
	} else {
		v *= 1e3
	}
	if v = math.Round(v); v < float64(log.MinStamp) || v >= float64(log.MaxStamp+1) ||
		math.IsNaN(v) {
		return 0, false
	}
	return log.Stamp(v), true
}
