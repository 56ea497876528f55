package session

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// entry is a record as an export has it: the values as JSON, spelled as they are stored.
type entry struct {
	id, session      string
	kind, time       []byte // type and timestamp
	inner            []byte // all that is in no other member
	importance       []byte
	tags, references []byte // arrays
	version          []byte // nil: it names none
}

// isCommon reports whether a member of a record is kept beside its content, and not in it.
func isCommon(m jsontext.Member) bool {
	switch m.Name {
	case "type", "session_id", "timestamp", "importance", "tags", "references", "schema_version":
		return true
	}
	return false
}

// entryOf returns the entry of a record. A malformed member, by another program, counts as absent.
func entryOf(rec log.Record) *entry {
	e := &entry{id: recordID(rec.Key), session: idOf(rec.Key), inner: rec.Content}
	var members jsontext.MemberList
	if rec.Content[0] == '{' {
		members = jsontext.ParseMembers(rec.Content)
		e.inner = slices.DeleteFunc(slices.Clone(members), isCommon).Object()
	}
	e.kind, e.version = members.Get("type"), members.Get("schema_version")
	if e.kind == nil {
		e.kind = []byte(`""`)
	}
	if e.time = members.Get("timestamp"); !isTime(e.time) {
		e.time = jsontext.AppendString(nil, content.TimeOf(rec.Content, rec.TS).String())
	}
	if e.importance = members.Get("importance"); !isPortion(e.importance) {
		e.importance = appendImportance(content.Parse(rec.Content).Importance)
	}
	e.tags, e.references = array(members.Get("tags")), array(members.Get("references"))
	return e
}

func isTime(value []byte) bool {
	if len(value) == 0 || string(value) == "null" {
		return false
	}
	var o jsontext.Object
	o.Raw("timestamp", value)
	return content.BadTime(o.Bytes()) == ""
}

// isPortion reports whether a value is a number from 0 to 1.
func isPortion(value []byte) bool {
	v, err := strconv.ParseFloat(string(value), 64)
	return err == nil && v >= 0 && v <= 1
}

// array returns an array as it is, and an empty one for anything else.
func array(value []byte) []byte {
	if len(value) == 0 || value[0] != '[' {
		return []byte("[]")
	}
	return value
}

func (e *entry) factor(r Rules, now log.Stamp) float64 {
	var o jsontext.Object
	o.Raw("timestamp", e.time)
	return r.Factor(jsontext.Unquote(e.kind), content.TimeOf(o.Bytes(), now), now)
}

// object returns the entry with its computed members: how much is left of its importance, and the
// checksum over all else.
func (e *entry) object(decay float64) []byte {
	build := func(decay, sum []byte) []byte {
		var o jsontext.Object
		raw := func(name string, value []byte) {
			if value != nil {
				o.Raw(name, value)
			}
		}
		o.Text("id", e.id)
		o.Text("session_id", e.session)
		o.Raw("timestamp", e.time)
		o.Raw("type", e.kind)
		o.Raw("content", e.inner)
		o.Raw("importance", e.importance)
		raw("decay_factor", decay)
		o.Raw("tags", e.tags)
		o.Raw("references", e.references)
		raw("schema_version", e.version)
		raw("checksum", sum)
		return o.Bytes()
	}
	return build(float(decay), jsontext.AppendString(nil, checksum(build(nil, nil))))
}

// checksum returns the checksum of an entry, whose decay_factor and checksum do not count.
func checksum(object []byte) string {
	members := jsontext.ParseMembers(object).DropName("decay_factor").DropName("checksum")
	sum := sha256.Sum256(jsontext.AppendCanonical(nil, members.Object()))
	return "sha256:" + hex.EncodeToString(sum[:])
}
