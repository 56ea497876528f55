package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// isEngram reports whether a file begins as one of engram does, whose members have no order: it has
// "exported_at", or "observations" that are objects.
func isEngram(head []byte) bool {
	in := json.NewDecoder(bytes.NewReader(head))
	if first, _ := in.Token(); first != json.Delim('{') {
		return false
	}
	for {
		name, _ := in.Token()
		switch name {
		case "exported_at":
			return true
		case "observations":
			if list, _ := in.Token(); list == json.Delim('[') {
				one, _ := in.Token()
				return one == json.Delim('{')
			}
		default:
			_, ok := name.(string)
			if !ok || name == "key" || in.Decode(new(json.RawMessage)) != nil {
				return false
			}
		}
	}
}

// ReadEngram yields the observations of a file of engram that are not deleted.
func ReadEngram(text []byte) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		doc, err := jsontext.Compact(nil, text)
		if err != nil {
			yield(Record{}, err)
			return
		}
		list := jsontext.ParseMembers(doc).Get("observations")
		if len(list) == 0 || list[0] != '[' && string(list) != "null" {
			yield(Record{}, fmt.Errorf("%w: want an array \"observations\"", ErrFormat))
			return
		}
		for one := range jsontext.Elements(list) {
			var m jsontext.MemberList
			if one[0] == '{' {
				m = jsontext.ParseMembers(one)
			}
			if textOf(m, "deleted_at") == "" && !yield(observation(m)) {
				return
			}
		}
	}
}

// textOf returns a member that is a string; "" for any other.
func textOf(m jsontext.MemberList, name string) string {
	if value := m.Get(name); len(value) > 0 && value[0] == '"' {
		return jsontext.Unquote(value)
	}
	return ""
}

func observation(m jsontext.MemberList) (r Record, err error) {
	id := textOf(m, "sync_id")
	if value := m.Get("id"); id == "" && value != nil {
		if id = jsontext.Unquote(value); strings.IndexByte("-0123456789", value[0]) >= 0 {
			id = string(value)
		}
	}
	if id == "" || textOf(m, "content") == "" {
		return r, fmt.Errorf("%w: an observation without id or content", ErrFormat)
	}
	var o jsontext.Object
	for _, member := range [...]struct{ from, to string }{{"type", "type"}, {"title", "title"},
		{"content", "text"}, {"topic_key", "topic"}, {"project", "project"},
		{"session_id", "session_id"}} {
		o.TextUnlessEmpty(member.to, textOf(m, member.from))
	}
	// SQLite's spelling of a time in UTC.
	at := strings.Replace(textOf(m, "created_at"), " ", "T", 1)
	if ts, err := log.ParseTime(strings.TrimSuffix(at, "Z") + "Z"); err == nil {
		o.Text("created_at", ts.String())
	}
	scope := textOf(m, "scope")
	if scope == "" {
		scope = "project"
	}
	r.Content = o.Bytes()
	r.Key, err = keypath.Parse("/engram/" + segment(scope) + "/" + segment(id))
	return r, err
}
