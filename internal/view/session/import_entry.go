package session

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// unknownMember is the refusal of a member that nobody would read.
func unknownMember(name string) error {
	return &fieldError{strconv.Quote(name), "there is no such member", nil}
}

// entryMembers are the members that an entry may have.
var entryMembers = []string{"id", "session_id", "timestamp", "type", "content", "importance",
	"decay_factor", "tags", "references", "schema_version", "checksum"}

// readEntry returns an entry of an import; session is the one among whose entries it stands, "" for
// none. The error wraps mem.ErrInput, or policy.ErrTooLarge.
func readEntry(object []byte, session string) (*entry, error) {
	m := jsontext.ParseMembers(object)
	for _, one := range m {
		if !slices.Contains(entryMembers, one.Name) {
			return nil, unknownMember(one.Name)
		}
	}
	e := &entry{id: jsontext.Unquote(m.Get("id")), session: session, kind: m.Get("type"),
		time: m.Get("timestamp"), importance: m.Get("importance"),
		tags: m.Get("tags"), references: m.Get("references"), version: m.Get("schema_version")}
	if err := e.name(m.Get("session_id")); err != nil {
		return nil, err
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	// What an export has was stored, by whatever verb: only what somebody made anew is judged.
	if m.Get("checksum") == nil {
		if err := e.judge(); err != nil {
			return nil, err
		}
	}
	return e, e.setContent(m.Get("content"), m.Get("checksum") != nil)
}

// name sets the session, and checks both ids.
func (e *entry) name(session []byte) error {
	if !IsID(e.id) {
		return &fieldError{"id " + strconv.Quote(e.id),
			"want mem_ and the 26 characters of a ULID", nil}
	}
	if session != nil {
		id := jsontext.Unquote(session)
		if e.session != "" && e.session != id {
			return &fieldError{"session_id " + strconv.Quote(id),
				"it stands among the entries of " + e.session, nil}
		}
		e.session = id
	}
	if !keypath.IsSessionID(e.session) {
		return &fieldError{"session_id " + strconv.Quote(e.session),
			"want 1 to 64 letters of ASCII, digits and _", nil}
	}
	return nil
}

// check returns which member is none, and sets those that may be absent.
func (e *entry) check() error {
	if e.kind == nil {
		e.kind = []byte(`""`)
	}
	if e.tags == nil {
		e.tags = []byte("[]")
	}
	if e.references == nil {
		e.references = []byte("[]")
	}
	if !isTime(e.time) {
		return &fieldError{"timestamp", "want a time like 2026-02-22T10:00:00.000Z", nil}
	}
	if e.importance == nil {
		e.importance = []byte("0.5")
	}
	if !isPortion(e.importance) {
		return &fieldError{"importance", "want a number from 0 to 1", nil}
	}
	return nil
}

// judge returns which member no record of this build would have.
func (e *entry) judge() error {
	if kind := jsontext.Unquote(e.kind); textMember(kind) == "" {
		return &fieldError{"type " + strconv.Quote(kind), "want " + TypeNames, nil}
	}
	if e.version != nil && !isWholeNumber(e.version) {
		return &fieldError{"schema_version", "want a whole number", nil}
	}
	if err := checkList("tags", e.tags, checkTags); err != nil {
		return err
	}
	return checkList("references", e.references, checkReferences)
}

func isWholeNumber(value []byte) bool {
	n, err := strconv.ParseInt(string(value), 10, 64)
	return err == nil && n >= 0
}

// checkList checks an array of texts.
func checkList(name string, value []byte, check func([]string) error) error {
	list := []string{}
	for element := range jsontext.Elements(value) {
		if element[0] != '"' {
			return &fieldError{name, "want an array of texts", nil}
		}
		list = append(list, jsontext.Unquote(element))
	}
	if value[0] != '[' {
		return &fieldError{name, "want an array of texts", nil}
	}
	return check(list)
}

// setContent sets the inner content, in the form in which it is stored; of what was exported also
// one that is no object, or is larger than that of a record may be.
func (e *entry) setContent(value []byte, exported bool) (err error) {
	if len(value) == 0 || value[0] != '{' && !exported {
		return &fieldError{"content", "want an object", nil}
	}
	if e.inner, err = jsontext.Readable(nil, value); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	if e.inner[0] != '{' {
		return nil
	}
	if err := checkSize(e.inner); err != nil && !exported {
		return err
	}
	for _, m := range jsontext.ParseMembers(e.inner) {
		if isCommon(m) {
			return &fieldError{"content." + m.Name, "it stands beside content, not in it", nil}
		}
	}
	return nil
}

// unkept are the members of an export's metadata that are of the store it was made of: what it has
// counted, and what its compactions left.
var unkept = append(derived[:], "last_compaction", "deleted_bytes", "idle_bytes")

// readMetadata returns the record of a session as an import makes it. The error wraps mem.ErrInput,
// or ErrNewer.
func readMetadata(object []byte, now log.Stamp) (rec log.Record, err error) {
	members := jsontext.ParseMembers(object)
	for _, name := range unkept {
		members = members.Without(name)
	}
	id := jsontext.Unquote(members.Get("session_id"))
	if rec.Key, err = KeyOf(id); err != nil {
		return rec, err
	}
	for _, m := range newSession(id, "user", now).members {
		if members.Get(m.Name) == nil || m.Name == "schema_version" {
			members = members.With(m.Name, m.Value)
		}
	}
	rec.TS, rec.Content = now, members.Object()
	if version := parse(rec).Version; version > Version {
		return rec, &Error{id, ErrNewer, advice.Say("install the newer mem")}
	}
	return rec, checkMetadata(members)
}

// checkMetadata returns which member of a session's metadata is not as it must be.
func checkMetadata(members jsontext.MemberList) error {
	for _, name := range []string{"created_at", "closed_at"} {
		if value := members.Get(name); value != nil && !isTime(value) {
			return &fieldError{name, "want a time like 2026-02-22T10:00:00.000Z", nil}
		}
	}
	if kind := members.Get("type"); jsontext.Unquote(kind) != "session" {
		return &fieldError{"type", "want session", nil}
	}
	if user := members.Get("user_id"); user[0] != '"' {
		return &fieldError{"user_id", "want a text", nil}
	}
	var own jsontext.Object
	for _, name := range []string{"decay_config", "compaction_config", "preferences"} {
		if value := members.Get(name); value != nil {
			own.Raw(name, value)
		}
	}
	_, err := checkConfig(own.Bytes())
	return err
}

// seen returns what is wrong where two entries of an import have one id; nil for the same twice.
func seen(before, now mem.Checked) error {
	if jsontext.Equal(before.Content(), now.Content()) {
		return nil
	}
	return &fieldError{"id", "this file says something else of it before", nil}
}
