package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Types are the types of a record, each with the member that has its text.
var Types = [...]struct{ Type, Text string }{
	{"conversation", "message"}, {"decision", "decision"}, {"finding", "finding"},
	{"preference", "preference"},
}

// TypeNames lists the types, for messages.
const TypeNames = "conversation, decision, finding or preference"

// MaxContent is how many bytes a record may say: the values in its content as JSON, without quotes,
// but for those that every record has.
const MaxContent = 1_000_000

const (
	maxTag       = 64 // characters
	maxRole      = 64 // characters
	maxReference = keypath.MaxLen
	idPrefix     = "mem_"
)

// Record is a record to be remembered.
type Record struct {
	Type         string
	Role         string // of the speaker; "" stands for the user
	Text         string
	Rationale    string   // of a decision
	Alternatives []string // of a decision
	References   []string // ids of records, or keys
	Tags         []string
	Importance   *float64  // 0..1; nil stands for 0.5
	At           log.Stamp // when it was said; 0 stands for now
}

// textMember returns the member in which records of a type have their text; "" for no type.
func textMember(kind string) string {
	for _, t := range Types {
		if t.Type == kind {
			return t.Text
		}
	}
	return ""
}

// check returns the fault of a record. The error wraps mem.ErrInput, or policy.ErrTooLarge.
func (r *Record) check() error {
	switch {
	case r.Type == "":
		return fault.Input("type", "want "+TypeNames, advice.Shell("give one with --type"))
	case textMember(r.Type) == "":
		return fault.Input("type "+strconv.Quote(r.Type), "want "+TypeNames, nil)
	case strings.TrimSpace(r.Text) == "":
		return fault.Input("text", "it is empty", nil)
	case r.Type != "decision" && (r.Rationale != "" || len(r.Alternatives) > 0):
		return fault.Input("type "+r.Type, "only a decision has a rationale and alternatives",
			advice.Shell("give --type decision"))
	}
	if r.Importance != nil && !(*r.Importance >= 0 && *r.Importance <= 1) {
		return fault.Input("importance", "want a number from 0 to 1", nil)
	}
	return cmp.Or(checkRole(r.Role), checkTags(r.Tags), checkReferences(r.References))
}

// CheckContent returns the fault of a record that another program has written, by the rules of
// mem remember for its id, session, type, time, importance and tags; of a session itself only its
// id is checked. A newer mem has rules of its own.
func CheckContent(e log.Envelope) error {
	rest, inside := strings.CutPrefix(e.Key.String(), keypath.Sessions+"/")
	_, name, _ := strings.Cut(rest, "/")
	isTold := e.Key.Class() == keypath.Remembered
	of := content.Member(e.Content, "session_id")
	kind := jsontext.Unquote(content.Member(e.Content, "type"))
	version, _ := strconv.Atoi(string(content.Member(e.Content, "schema_version")))
	switch {
	case !e.Valid() || version > policy.SessionVersion:
		return nil
	case inside && !isTold && strings.HasPrefix(name, idPrefix) && textMember(kind) != "":
		return fault.Input("id "+strconv.Quote(name), "want mem_ and a ULID", nil)
	case of != nil && (isTold || e.Key.Class() == keypath.SessionInfo) &&
		!keypath.IsSessionID(jsontext.Unquote(of)):
		return fault.Input("session_id", "want 1 to 64 letters of ASCII, digits and _", nil)
	case !isTold:
		return nil
	case textMember(kind) == "":
		return fault.Input("type "+strconv.Quote(kind), "want "+TypeNames, nil)
	}
	for name, value := range jsontext.Members(e.Content) {
		if err := checkMember(name, value); err != nil {
			return err
		}
	}
	return nil
}

func checkMember(name string, value []byte) error {
	switch name {
	case "timestamp":
		if _, err := log.ParseTime(jsontext.Unquote(value)); value[0] != '"' || err != nil {
			return fault.Input(name, "want a time like 2026-02-22T10:00:00Z", nil)
		}
	case "importance":
		if n, err := strconv.ParseFloat(string(value), 64); err != nil || n < 0 || n > 1 {
			return fault.Input(name, "want a number from 0 to 1", nil)
		}
	case "tags":
		tags := slices.Collect(jsontext.Elements(value))
		noText := func(tag []byte) bool { return tag[0] != '"' }
		if value[0] != '[' || slices.ContainsFunc(tags, noText) {
			return fault.Input(name, "want a list of texts", nil)
		}
		for _, tag := range tags {
			if err := checkTags([]string{jsontext.Unquote(tag)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkRole returns why a role is none: it stands in one line of an answer.
func checkRole(role string) error {
	if n := utf8.RuneCountInString(role); n > maxRole {
		return fault.Input("role", fmt.Sprintf("%d characters, at most %d", n, maxRole), nil)
	}
	if strings.ContainsFunc(role, unicode.IsControl) {
		return fault.Input("role", "it has a line break or another control character", nil)
	}
	return nil
}

// checkTags returns which tag is none: letters of every script, digits and - _ . :.
func checkTags(tags []string) error {
	for _, tag := range tags {
		switch n := utf8.RuneCountInString(tag); {
		case n == 0:
			return fault.Input("tag", "it is empty", nil)
		case n > maxTag:
			return fault.Input("tag", fmt.Sprintf("%d characters, at most %d", n, maxTag), nil)
		}
		if i := strings.IndexFunc(tag, isNoTag); i >= 0 {
			c, _ := utf8.DecodeRuneInString(tag[i:])
			return fault.Input("tag "+strconv.Quote(tag),
				fmt.Sprintf("%q cannot be in one: letters, digits and - _ . : can", c), nil)
		}
	}
	return nil
}

func isNoTag(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsDigit(c) &&
		!strings.ContainsRune("-_.:", c)
}

// checkReferences returns which reference is none: the id of a record, or a key.
func checkReferences(refs []string) error {
	for _, ref := range refs {
		if len(ref) > maxReference {
			return fault.Input("reference", "it is longer than a key can be", nil)
		}
		if _, err := keypath.Parse(ref); strings.HasPrefix(ref, "/") && err == nil {
			continue
		}
		if !isReference(ref) {
			return fault.Input("reference "+strconv.Quote(ref),
				"want the id of a record, like mem_01ARZ3NDEKTSV4RRFFQ69G5FAV, or a key", nil)
		}
	}
	return nil
}

// isReference reports whether a text is spelled as the id of a record of whatever program.
func isReference(text string) bool {
	return keypath.IsSessionID(text) && len(text) <= 32
}

// IsID reports whether a text is the id of a record: mem_ and 26 characters, as a ULID has them.
func IsID(text string) bool {
	key, err := keypath.Parse(keypath.Sessions + "/s/" + text)
	return err == nil && strings.HasPrefix(text, idPrefix) && key.Class() == keypath.Remembered
}

// NewID returns an id for a record, which sorts by when it was made.
func newID(ids *ulid.Maker, now log.Stamp) (string, error) {
	id, err := ids.New(now.Time())
	return idPrefix + id, err
}

// content returns the record as it is stored in a session. The error wraps policy.ErrTooLarge.
func (r *Record) content(id string, now log.Stamp) ([]byte, error) {
	var o jsontext.Object
	o.Text("type", r.Type)
	o.Text("session_id", id)
	o.Text("timestamp", cmp.Or(r.At, now).String())
	inner := r.inner()
	if err := checkSize(inner); err != nil {
		return nil, err
	}
	for name, value := range jsontext.Members(inner) {
		o.Raw(name, value)
	}
	importance := 0.5
	if r.Importance != nil {
		importance = math.Abs(*r.Importance) // no -0
	}
	o.Raw("importance", appendImportance(importance))
	if len(r.Tags) > 0 {
		o.Raw("tags", jsontext.AppendStrings(nil, unique(r.Tags)))
	}
	if len(r.References) > 0 {
		o.Raw("references", jsontext.AppendStrings(nil, unique(r.References)))
	}
	o.Raw("schema_version", strconv.AppendInt(nil, Version, 10))
	return o.Bytes(), nil
}

// checkSize returns why a content is too large; the error wraps policy.ErrTooLarge.
func checkSize(inner []byte) error {
	n := 0
	for name, value := range jsontext.Members(inner) {
		switch {
		case name == "role":
		case value[0] == '"':
			n += len(value) - len(`""`)
		default:
			n += len(value)
		}
	}
	if n > MaxContent {
		return fmt.Errorf("content: %w: %d bytes, at most %d", policy.ErrTooLarge, n, MaxContent)
	}
	return nil
}

// appendImportance spells a whole 1 as 1.0: as 1 it could be meant out of 10.
func appendImportance(v float64) []byte {
	text := strconv.AppendFloat(nil, v, 'f', -1, 64)
	if v == 1 {
		text = append(text, ".0"...)
	}
	return text
}

// inner returns the members that depend on the type of the record.
func (r *Record) inner() []byte {
	var o jsontext.Object
	o.Text("role", cmp.Or(r.Role, "user"))
	o.Text(textMember(r.Type), r.Text)
	o.TextUnlessEmpty("rationale", r.Rationale)
	if len(r.Alternatives) > 0 {
		o.Raw("alternatives", jsontext.AppendStrings(nil, r.Alternatives))
	}
	return o.Bytes()
}

// unique returns a list without what it has twice.
func unique(list []string) (once []string) {
	for _, text := range list {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}

// CheckTouched returns an error if a record may not get one of the tags, or the new importance, a
// JSON number or nil. A key that is no record's passes. So an edit of a record keeps to the rules
// of Remember. The error wraps mem.ErrInput.
func CheckTouched(key keypath.Key, tags []string, importance []byte) error {
	if key.Class() != keypath.Remembered {
		return nil
	}
	if importance != nil && !isPortion(importance) {
		return fault.Input("importance", "want a number from 0 to 1", nil)
	}
	return checkTags(tags)
}
