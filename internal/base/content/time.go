package content

import (
	"bytes"
	"cmp"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

type stampValue struct {
	at log.Stamp
	ok bool
}

func (v *stampValue) parse(value []byte) { v.at, v.ok = parseStamp(value) }

func firstOf(values [2]stampValue) (log.Stamp, bool) {
	for _, v := range values {
		if v.ok {
			return v.at, true
		}
	}
	return 0, false
}

// Time returns the time of a memory, by which it decays and is dated: that of its content, else ts.
// Which of two writes is the newer, ts alone decides.
func (f *Fields) Time(ts log.Stamp) log.Stamp {
	if f.HasCreated {
		return f.Created
	}
	return ts
}

// TimeOf is [Fields.Time] for content that is not parsed: it reads only the times.
func TimeOf(content []byte, ts log.Stamp) log.Stamp {
	if !mayHaveTime(content) {
		return ts
	}
	var created [2]stampValue // timestamp, created_at
	for name, value := range jsontext.RawMembers(content) {
		switch string(name) {
		case "timestamp":
			created[0].parse(value)
		case "created_at":
			created[1].parse(value)
		}
	}
	if at, ok := firstOf(created); ok {
		return at
	}
	return ts
}

// mayHaveTime reports whether a member of content may be a time. Most have none, and each record is
// asked. A letter of a name could only be spelled as \u.
func mayHaveTime(content []byte) bool {
	return bytes.Contains(content, []byte(`"timestamp"`)) ||
		bytes.Contains(content, []byte(`"created_at"`)) || bytes.Contains(content, []byte(`\u`))
}

// BadTime returns the name of a member that should be the time of a memory and is none, timestamp
// or created_at; "" where there is none. null is no fault.
func BadTime(content []byte) (name string) {
	if !mayHaveTime(content) {
		return ""
	}
	for member, value := range jsontext.RawMembers(content) {
		switch string(member) {
		case "timestamp", "created_at":
			if _, ok := parseStamp(value); !ok && string(value) != "null" {
				name = string(member)
			}
		}
	}
	return name
}

// KeepTime returns content for a write that must not make the memory younger than it was at ts: an
// object that names no time of its own gets ts as created_at, its last member. A created_at or
// timestamp that is no time stays as it is, and so does content that is no object.
func KeepTime(content []byte, ts log.Stamp) []byte {
	text := bytes.TrimSpace(content)
	if len(text) < 2 || text[0] != '{' {
		return content
	}
	members := 0
	for name := range jsontext.RawMembers(text) {
		members++
		if string(name) == "created_at" || string(name) == "timestamp" && hasTime(text) {
			return content
		}
	}
	kept := append(make([]byte, 0, len(text)+64), text[:len(text)-1]...)
	if members > 0 {
		kept = append(kept, ',')
	}
	return append(jsontext.AppendString(append(kept, `"created_at":`...), ts.String()), '}')
}

// Lasting returns what the copies of a memory have in common, also where one was moved to another
// store, and its references followed: the text, with the time that it keeps where it is an object.
func Lasting(content []byte, ts log.Stamp) string {
	kept := KeepTime(content, ts)
	return TimeOf(kept, log.MinStamp).String() + cmp.Or(Parse(kept).Text, string(kept))
}

func hasTime(content []byte) bool { return Parse(content).HasCreated }
